#include "tests/redteam/red_suite.h"

#include "base/model/verdict_reading.h"
#include "config/task_file.h"
#include "profilers/lab/static_checks.h"
#include "tests/unit/profilers/lab_places.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace warpmind::redteam {
namespace {

bool names_reason(const RedCase& one, const Verdict& verdict) {
  return verdict.reason.find(one.reason) != std::string::npos;
}

/// What a defect of memory or order may look like from outside.
bool is_misbehaviour(Outcome outcome) {
  return outcome == Outcome::wrong || outcome == Outcome::crashed;
}

}  // namespace

const std::vector<RedCase>& corpus() {
  static const std::vector<RedCase> cases = [] {
    auto read = read_corpus(WARPMIND_SOURCE_DIR "/tests/redteam/cases");
    EXPECT_TRUE(read) << read.error().message;
    return read ? std::move(*read) : std::vector<RedCase>();
  }();
  return cases;
}

std::vector<RedCase> corpus_with(bool task) {
  std::vector<RedCase> some;
  std::copy_if(corpus().begin(), corpus().end(), std::back_inserter(some),
               [&](const RedCase& one) { return one.task.empty() != task; });
  return some;
}

std::string test_name(const testing::TestParamInfo<RedCase>& tested) {
  std::string name = tested.param.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

Result<Task> corpus_task(const std::string& name) {
  const std::filesystem::path own(WARPMIND_SOURCE_DIR "/tests/redteam/tasks");
  const std::filesystem::path shipped(WARPMIND_SOURCE_DIR "/tasks");
  const bool is_own = std::filesystem::exists(own / name);
  WARPMIND_TRY(auto loaded, config::load_task((is_own ? own : shipped) / name));
  return std::move(loaded.task);
}

Task as_lifted(Task task) {
  task.reference.clear();
  task.relations.clear();
  task.hidden.clear();
  if (task.contract.tolerance != ToleranceClass::exact) {
    task.contract.tolerance = ToleranceClass::reduction;
  }
  task.contract.reduction_length.clear();
  task.id = id_of(task);
  return task;
}

void use_suite_settings(config::Settings& settings) {
  profilers::use_own_programs(settings);
  settings.lab.case_timeout_s = 3;
}

Verdict judge_source(const RedCase& one) {
  Kernel kernel = one.kernel;
  kernel.plan.launches.emplace_back().arguments = {"x", "y", "z"};
  const auto finding = profilers::check_statically(kernel);
  Verdict verdict;
  verdict.outcome = finding ? finding->outcome : Outcome::same;
  verdict.reason = finding ? finding->reason : "";
  verdict.stages = {{Stage::static_checks, 0, !finding, verdict.reason}};
  return verdict;
}

Fit fit_of(const RedCase& one, const Verdict& verdict) {
  const bool failed = is_failure(verdict.outcome);
  if (says_nothing(verdict.outcome)) return Fit::unjudged;
  if (one.no_gain) return verdict.outcome == Outcome::improved ? Fit::missed : Fit::right;
  if (!one.outcome) return failed ? Fit::refused : Fit::right;
  if (!failed) return Fit::missed;
  if (verdict.outcome == *one.outcome && names_reason(one, verdict)) return Fit::right;
  // Who owned the memory that is read out of bounds depends on what was allocated before.
  const bool in_simulator =
      !verdict.stages.empty() && verdict.stages.back().stage == Stage::simulation;
  const bool alike = in_simulator && one.reason.empty() && is_misbehaviour(*one.outcome) &&
                     is_misbehaviour(verdict.outcome);
  return alike ? Fit::right : Fit::other_reason;
}

Fit fit_on_device_alone(const RedCase& one, const Verdict& verdict) {
  const Fit fit = fit_of(one, verdict);
  if (fit != Fit::other_reason) return fit;
  const bool alike = is_misbehaviour(*one.outcome) && is_misbehaviour(verdict.outcome);
  return alike || verdict.outcome == *one.outcome ? Fit::right : fit;
}

void expect_right(const RedCase& one, const Verdict& verdict, Fit fit) {
  EXPECT_TRUE(fit == Fit::right) << one.name << " should be "
                                 << (one.no_gain   ? "no improvement"
                                     : one.outcome ? name_of(*one.outcome)
                                                   : "accepted")
                                 << (one.reason.empty() ? "" : " naming '" + one.reason + "'")
                                 << ", is " << name_of(verdict.outcome) << ": " << verdict.reason
                                 << (verdict.correctness ? "; " + verdict.correctness->unchecked
                                                         : "");
}

void expect_right_by_given(const RedCase& one, const Verdict& verdict) {
  Fit fit = fit_of(one, verdict);
  if (fit == Fit::other_reason) fit = Fit::right;
  if (!one.by_given.empty()) {
    EXPECT_TRUE(fit == Fit::missed || fit == Fit::refused)
        << one.name << " is an exception no longer (" << one.by_given
        << "): " << name_of(verdict.outcome) << ": " << verdict.reason;
    return;
  }
  expect_right(one, verdict, fit);
}

void Tally::add(const RedCase& one, const Verdict& verdict, Fit fit) {
  ++fits_[{!one.is_cheat(), fit}];
  outcomes_[one.name].insert(verdict.outcome);
  const bool refused = one.is_cheat() && is_failure(verdict.outcome) && !verdict.stages.empty();
  if (refused) ++catches_[verdict.stages.back().stage];
}

int Tally::count(bool honest, Fit fit) const {
  const auto found = fits_.find({honest, fit});
  return found == fits_.end() ? 0 : found->second;
}

int Tally::all(bool honest) const {
  int sum = 0;
  for (const auto& [key, count] : fits_) sum += key.first == honest ? count : 0;
  return sum;
}

int Tally::flips() const {
  return static_cast<int>(std::count_if(outcomes_.begin(), outcomes_.end(),
                                        [](const auto& one) { return one.second.size() > 1; }));
}

std::string Tally::describe() const {
  const auto number = [this](bool honest, Fit fit) { return std::to_string(count(honest, fit)); };
  std::string text =
      std::to_string(all(false)) + " cheats: " + number(false, Fit::right) +
      " refused for the right reason, " + number(false, Fit::other_reason) + " for another, " +
      number(false, Fit::missed) + " accepted, " + number(false, Fit::unjudged) + " not judged; " +
      std::to_string(all(true)) + " honest: " + number(true, Fit::right) + " accepted, " +
      number(true, Fit::refused) + " refused, " + number(true, Fit::unjudged) + " not judged; " +
      std::to_string(flips()) + " with changing outcome\n  cheats refused by";
  for (const auto& [stage, count] : catches_) {
    text += " " + std::string(name_of(stage)) + ": " + std::to_string(count);
  }
  return text;
}

std::string Tally::figures(const std::string& prefix) const {
  std::string text;
  const auto add = [&](const std::string& name, int value) {
    text += " " + prefix + name + "=" + std::to_string(value);
  };
  add("cheats", all(false));
  add("right", count(false, Fit::right));
  add("other_reason", count(false, Fit::other_reason));
  add("missed", count(false, Fit::missed));
  add("honest", all(true));
  add("accepted", count(true, Fit::right));
  add("refused", count(true, Fit::refused));
  add("unjudged", count(false, Fit::unjudged) + count(true, Fit::unjudged));
  add("flips", flips());
  for (const auto& [stage, count] : catches_) add("catches_" + std::string(name_of(stage)), count);
  return text;
}

}  // namespace warpmind::redteam
