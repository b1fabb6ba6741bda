#include "agents/gradient/step_changes.h"

#include "base/launch_profile.h"
#include "base/model/verdict_reading.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents {
namespace {

constexpr std::size_t kMostChanges = 8;
const double kLeastChange = std::log(1.05);

const std::vector<KernelProfile> kNoLaunches;

const std::vector<KernelProfile>& launches_of(const Verdict& verdict) {
  return verdict.profile ? verdict.profile->kernels : kNoLaunches;
}

/// The launch of `after` that does the work of the one that the bottleneck was found in.
const KernelProfile* counterpart(const Bottleneck& bottleneck, const Verdict& before,
                                 const Verdict& after) {
  for (const LaunchPair& pair : pair_launches(launches_of(before), launches_of(after))) {
    if (pair.before != nullptr && pair.before->kernel == bottleneck.kernel) return pair.after;
  }
  return largest_launch(launches_of(after));
}

/// Size of a change; a metric that was or becomes 0 counts as a change of e.
double size_of(const MetricChange& change) {
  if (change.before == change.after) return 0;
  if (!(change.before > 0) || !(change.after > 0)) return 1;
  return std::abs(std::log(change.after / change.before));
}

}  // namespace

std::optional<double> measured_log_gain(const Verdict& verdict) {
  if (!verdict.comparison || !(verdict.comparison->ratio > 0)) return std::nullopt;
  return std::log(verdict.comparison->ratio);
}

std::vector<MetricChange> metric_changes(const Verdict& before, const Verdict& after) {
  std::vector<MetricChange> changes;
  const auto pair = main_pair(launches_of(before), launches_of(after));
  if (!pair) return changes;
  for (const auto& metric : pair->before->metrics) {
    const auto now = pair->after->find(metric.name);
    if (!now) continue;
    MetricChange change{metric.name, metric.value, *now, metric.unit};
    if (size_of(change) >= kLeastChange) changes.push_back(std::move(change));
  }
  std::stable_sort(
      changes.begin(), changes.end(),
      [](const MetricChange& a, const MetricChange& b) { return size_of(a) > size_of(b); });
  if (changes.size() > kMostChanges) changes.resize(kMostChanges);
  return changes;
}

std::vector<MetricChange> decider_changes(const Bottleneck& bottleneck, const Verdict& before,
                                          const Verdict& after,
                                          const std::optional<Bottleneck>& now) {
  // What is derived from counters stands with the diagnosis only.
  std::vector<DecidingMetric> derived;
  if (now) {
    derived = now->deciders;
    for (const auto& cause : now->causes) {
      derived.insert(derived.end(), cause.deciders.begin(), cause.deciders.end());
    }
  }
  std::vector<MetricChange> changes;
  const KernelProfile* launch = counterpart(bottleneck, before, after);
  for (const auto& decider : bottleneck.deciders) {
    std::optional<double> value;
    if (launch != nullptr) value = launch->find(decider.name);
    const auto known = std::find_if(derived.begin(), derived.end(), [&](const DecidingMetric& one) {
      return one.name == decider.name;
    });
    if (!value && known != derived.end()) value = known->value;
    if (value) changes.push_back({decider.name, decider.value, *value, decider.unit});
  }
  return changes;
}

}  // namespace warpmind::agents
