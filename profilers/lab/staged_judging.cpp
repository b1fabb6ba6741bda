#include "profilers/lab/staged_judging.h"

#include "profilers/lab/given_work.h"
#include "profilers/lab/run_case.h"

#include <algorithm>
#include <utility>

namespace warpmind::profilers {
namespace {

/// Inputs of a recorded task whose content was made up: "to, starts". What a program keeps in them
/// are indices and lengths more often than not.
std::string invented_integers(const Task& task) {
  std::string names;
  for (const Argument& argument : task.arguments) {
    const std::vector<Distribution> drawn = {Distribution::index_range};
    if (!is_input(argument) || argument.distributions != drawn || argument.low != 0 ||
        argument.high != 1) {
      continue;
    }
    names += (names.empty() ? "" : ", ") + argument.name;
  }
  return names;
}

/// Recorded integers that cases get in another order than the program's.
std::string reordered_integers(const Task& task) {
  std::string names;
  for (const Argument& argument : task.arguments) {
    if (!argument.recorded || argument.recorded->values.empty() || !argument.recorded->reorder) {
      continue;
    }
    names += (names.empty() ? "" : ", ") + argument.name;
  }
  return names;
}

}  // namespace

StagedJudging::StagedJudging(LabParts& parts, const JudgeOrder& order, std::stop_token stop)
    : parts_(parts),
      order_(order),
      stop_(std::move(stop)),
      plan_(plan_for(order.effort, parts.settings.lab)),
      stage_start_(std::chrono::steady_clock::now()),
      spec_(parts.target) {
  if (const auto& use = parts_.pool.place().use) waited_ = use->waited();
  candidate_.kernel = &order.kernel;
  verdict_.effort = order.effort;
}

double StagedJudging::end_of_stage() {
  const auto now = std::chrono::steady_clock::now();
  auto took = now - std::exchange(stage_start_, now);
  if (const auto& use = parts_.pool.place().use) {
    const auto waited = use->waited();
    took -= std::min(took, waited - std::exchange(waited_, waited));
  }
  return std::chrono::duration<double>(took).count();
}

void StagedJudging::begin(Stage stage) const {
  if (order_.on_stage) order_.on_stage(stage);
}

bool StagedJudging::pass(Stage stage, std::string detail) {
  verdict_.stages.push_back({stage, end_of_stage(), true, std::move(detail)});
  return true;
}

bool StagedJudging::judges_own_reference() const {
  return order_.incumbent == nullptr && order_.task.reference.empty() &&
         order_.kernel == order_.task.kernel;
}

StageFailure StagedJudging::without_accusation(StageFailure failure) const {
  const bool is_accusation = failure.outcome == Outcome::wrong ||
                             failure.outcome == Outcome::crashed ||
                             failure.outcome == Outcome::timed_out;
  const std::string invented = invented_integers(order_.task);
  const std::string reordered = reordered_integers(order_.task);
  if (!is_accusation || !judges_own_reference()) return failure;
  if (invented.empty() && !reordered.empty()) {
    return {Outcome::unjudgeable, "with its recorded integers (" + reordered +
                                      "), which some cases have in another order, " +
                                      failure.reason +
                                      "; reorder = false in [argument.recorded] keeps the order"};
  }
  if (invented.empty()) return failure;
  return {Outcome::unjudgeable, "its integers (" + invented +
                                    ") are drawn from 0 and 1, since the program's own are not on "
                                    "record; with those, " +
                                    failure.reason};
}

bool StagedJudging::stop_with(Stage stage, StageFailure failure) {
  failure = without_accusation(std::move(failure));
  verdict_.outcome = failure.outcome;
  verdict_.reason = failure.reason;
  verdict_.stages.push_back({stage, end_of_stage(), false, std::move(failure.reason)});
  return false;
}

Result<const CountedWork*> StagedJudging::given_work() {
  if (!needs_count(order_.task)) return nullptr;
  const auto architecture = architecture_of(spec_.compute_major, spec_.compute_minor);
  const std::string key = order_.task.id.str() + " " + primary().name + " " + architecture;
  const auto known = parts_.given_work.find(key);
  if (known != parts_.given_work.end()) return &known->second;
  const Kernel& given = order_.task.kernel;
  WARPMIND_TRY(const auto built, parts_.toolchain.build_kernel(given, architecture, stop_));
  CountedWork work{.unknown = "the given kernel does not build"};
  if (built.report.succeeded) work = count_given_work(order_.task, primary(), built.binary);
  return &parts_.given_work.insert_or_assign(key, std::move(work)).first->second;
}

Result<Limit> StagedJudging::limit() {
  WARPMIND_TRY(const CountedWork* const counted, given_work());
  return limit_of({order_.task, primary(), spec_, floors_, counted});
}

const Workload& StagedJudging::primary() const { return *timed_workloads(order_.task).front(); }

}  // namespace warpmind::profilers
