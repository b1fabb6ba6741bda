#include "agents/benchmark/summary.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <tuple>

namespace warpmind::agents::benchmark {
namespace {

constexpr double kTargetShare = 0.95;

/// Runs of one experiment, by what pairs them.
class PairedRuns {
 public:
  using Value = std::function<double(const Run&)>;
  using PairedValue = std::function<double(const Run& arm, const Run& other)>;

  PairedRuns(const std::vector<Run>& runs, std::size_t tasks) : tasks_(tasks) {
    for (const auto& run : runs) by_place_[{run.arm, run.task, run.order, run.seed}] = &run;
  }

  [[nodiscard]] Groups values(std::size_t arm, const std::vector<TaskOutcome>& tasks,
                              bool counted_only, const Value& value) const {
    return paired(arm, arm, tasks, counted_only,
                  [&](const Run& run, const Run&) { return value(run); });
  }

  [[nodiscard]] Groups paired(std::size_t arm, std::size_t other,
                              const std::vector<TaskOutcome>& tasks, bool counted_only,
                              const PairedValue& value) const {
    Groups groups(tasks_);
    for (const auto& [place, run] : by_place_) {
      if (run->arm != arm || (counted_only && !tasks[run->task].counted)) continue;
      const auto partner = by_place_.find({other, run->task, run->order, run->seed});
      if (partner != by_place_.end()) groups[run->task].push_back(value(*run, *partner->second));
    }
    return groups;
  }

 private:
  using Place = std::tuple<std::size_t, std::size_t, std::int64_t, std::int64_t>;
  std::size_t tasks_;
  std::map<Place, const Run*> by_place_;
};

std::vector<TaskOutcome> outcomes_of(const EvaluationTable& table, const std::vector<Run>& runs) {
  std::vector<TaskOutcome> tasks;
  for (const auto& recording : table.tasks()) {
    tasks.push_back({recording.task().name, recording.task().operator_family, 0,
                     recording.best_log_gain(), false});
  }
  for (const auto& run : runs) {
    const auto& curve = run.score.curve;
    if (curve.empty()) continue;
    auto& best = tasks[run.task].best;
    best = std::max(best, *std::max_element(curve.begin(), curve.end()));
  }
  for (auto& task : tasks) task.counted = task.best + std::log(kTargetShare) > 0;
  return tasks;
}

double mean(const Groups& groups) {
  double sum = 0;
  double count = 0;
  for (const auto& group : groups) {
    if (group.empty()) continue;
    double within = 0;
    for (const double value : group) within += value;
    sum += within / static_cast<double>(group.size());
    ++count;
  }
  return count > 0 ? sum / count : 0;
}

/// Everything that the figures of one experiment are made of.
struct Material {
  const ExperimentPlan& plan;
  const std::vector<Run>& runs;
  const PairedRuns& paired;
  const std::vector<TaskOutcome>& tasks;
  const Resampling& resampling;

  [[nodiscard]] double needed(const Run& run) const {
    return evaluations_to(run.score.curve, tasks[run.task].best + std::log(kTargetShare));
  }
  [[nodiscard]] Interval log_ratio(std::size_t arm, std::size_t other) const {
    return bootstrap(paired.paired(arm, other, tasks, true,
                                   [this](const Run& a, const Run& b) {
                                     return std::log(needed(a) / needed(b));
                                   }),
                     resampling);
  }
};

void add_shares(const Material& material, std::size_t arm, ArmOutcome& outcome) {
  double candidates = 0;
  double failed = 0;
  double repeated = 0;
  for (const auto& run : material.runs) {
    if (run.arm != arm) continue;
    ++outcome.episodes;
    candidates += static_cast<double>(run.score.evaluations);
    failed += static_cast<double>(run.score.failed);
    repeated += static_cast<double>(run.score.repeated);
    outcome.seconds += run.score.seconds;
  }
  if (outcome.episodes > 0) outcome.seconds /= static_cast<double>(outcome.episodes);
  if (candidates > 0) {
    outcome.failed = failed / candidates;
    outcome.repeated = repeated / candidates;
  }
}

ArmOutcome outcome_of(const Material& material, std::size_t arm) {
  const ExperimentPlan& plan = material.plan;
  const PairedRuns& paired = material.paired;
  const std::vector<TaskOutcome>& tasks = material.tasks;
  const Resampling& resampling = material.resampling;
  ArmOutcome outcome;
  outcome.name = plan.arms[arm].name;
  outcome.what = plan.arms[arm].what;
  const auto needed = [&](const Run& run) { return material.needed(run); };
  const Groups evaluations = paired.values(arm, tasks, true, needed);
  outcome.evaluations = bootstrap(evaluations, resampling);
  for (const auto& group : evaluations) outcome.by_task.push_back(mean({group}));
  const auto never = static_cast<double>(plan.evaluations) + 1;
  outcome.reached = mean(paired.values(
      arm, tasks, true, [&](const Run& run) { return needed(run) < never ? 1.0 : 0.0; }));
  outcome.log_ratio = material.log_ratio(arm, 0);
  outcome.area =
      bootstrap(paired.values(arm, tasks, false,
                              [](const Run& run) { return anytime_area(run.score.curve); }),
                resampling);
  outcome.regret = bootstrap(
      paired.values(
          arm, tasks, false,
          [&](const Run& run) { return tasks[run.task].best_recorded - run.score.last(); }),
      resampling);
  outcome.harm = bootstrap(paired.paired(arm, 0, tasks, false,
                                         [](const Run& a, const Run& control) {
                                           return did_harm(a.score, control.score) ? 1.0 : 0.0;
                                         }),
                           resampling);
  for (std::size_t k = 0; k <= static_cast<std::size_t>(plan.evaluations); ++k) {
    outcome.curve.push_back(mean(
        paired.values(arm, tasks, false, [k](const Run& run) { return run.score.curve.at(k); })));
  }
  add_shares(material, arm, outcome);
  return outcome;
}

std::size_t position_of(const ExperimentPlan& plan, std::string_view name) {
  const auto found = std::find_if(plan.arms.begin(), plan.arms.end(),
                                  [&](const Arm& arm) { return arm.name == name; });
  return static_cast<std::size_t>(found - plan.arms.begin());
}

std::vector<ComparisonOutcome> compare_as_planned(const Material& material) {
  std::vector<ComparisonOutcome> all;
  std::vector<double> p;
  for (const auto& planned : planned_comparisons()) {
    const std::size_t arm = position_of(material.plan, planned.arm);
    const std::size_t against = position_of(material.plan, planned.against);
    if (arm >= material.plan.arms.size() || against >= material.plan.arms.size()) continue;
    all.push_back({std::string(planned.arm), std::string(planned.against),
                   material.log_ratio(arm, against), 1});
    p.push_back(all.back().log_ratio.p);
  }
  const auto corrected = holm(p);
  for (std::size_t i = 0; i < all.size(); ++i) all[i].corrected_p = corrected[i];
  return all;
}

}  // namespace

const ArmOutcome* Summary::find(std::string_view arm) const {
  const auto found = std::find_if(arms.begin(), arms.end(),
                                  [&](const ArmOutcome& outcome) { return outcome.name == arm; });
  return found == arms.end() ? nullptr : &*found;
}

Summary summarise(const EvaluationTable& table, const ExperimentPlan& plan,
                  const std::vector<Run>& runs, const Resampling& resampling) {
  Summary summary;
  summary.evaluations = plan.evaluations;
  summary.tasks = outcomes_of(table, runs);
  const PairedRuns paired(runs, summary.tasks.size());
  const Material material{plan, runs, paired, summary.tasks, resampling};
  for (std::size_t arm = 0; arm < plan.arms.size(); ++arm) {
    summary.arms.push_back(outcome_of(material, arm));
  }
  summary.planned = compare_as_planned(material);
  return summary;
}

}  // namespace warpmind::agents::benchmark
