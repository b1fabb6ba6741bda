#include "knowledge_base/graph/edge_learning.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace warpmind::knowledge_base {

std::size_t origin_of(const Episode& episode, const std::vector<KernelId>& kernels,
                      std::size_t at) {
  const KernelId& parent = episode.steps[at].candidate.parent;
  for (std::size_t i = at; !parent.empty() && i > 0; --i) {
    if (kernels[i - 1] == parent) return i - 1;
  }
  for (std::size_t i = at; i > 0; --i) {
    if (episode.steps[i - 1].accepted) return i - 1;
  }
  return 0;
}

std::vector<EdgeKey> keys_of(const Transition& transition) {
  const PosteriorScope& scope = transition.evidence.scope;
  EdgeKey everywhere;
  everywhere.provider = scope.provider;
  everywhere.from = transition.from;
  everywhere.to = scope.technique;
  std::vector<EdgeKey> keys{everywhere};
  const std::string of_class(name_of(scope.bottleneck));
  std::vector<std::string> clusters{of_class};
  if (transition.cluster != of_class) clusters.push_back(transition.cluster);
  for (auto& cluster : clusters) {
    EdgeKey key = everywhere;
    key.level = EdgeLevel::cluster;
    key.cluster = std::move(cluster);
    keys.push_back(key);
    if (scope.device.name.empty()) continue;
    key.level = EdgeLevel::family;
    key.family = architecture_of(scope.device.compute_major, scope.device.compute_minor);
    keys.push_back(key);
    key.level = EdgeLevel::device;
    key.family.clear();
    key.device = scope.device.name;
    keys.push_back(std::move(key));
  }
  return keys;
}

EdgeExample example_of(const Episode& episode, const std::vector<KernelId>& kernels,
                       const Evidence& evidence, std::size_t origin) {
  EdgeExample example;
  if (!evidence.confirmed_log_gain) return example;
  example.episode = episode.id;
  example.step = static_cast<std::int64_t>(evidence.step);
  example.task = episode.task;
  example.operator_family = episode.operator_family;
  example.before = kernels[origin];
  example.after = kernels[evidence.step];
  example.log_gain = *evidence.confirmed_log_gain;
  example.parameters = episode.steps[evidence.step].candidate.parameters;
  return example;
}

std::vector<EdgeExample> best_examples(std::vector<EdgeExample> examples) {
  std::sort(examples.begin(), examples.end(), [](const EdgeExample& a, const EdgeExample& b) {
    return std::tuple(-a.log_gain, a.episode, a.step) < std::tuple(-b.log_gain, b.episode, b.step);
  });
  // The best of each task, then the second best of each task, …
  std::map<TaskId, int> seen;
  std::vector<std::pair<int, EdgeExample>> ranked;
  ranked.reserve(examples.size());
  for (auto& example : examples) {
    const int rank = seen[example.task]++;
    ranked.emplace_back(rank, std::move(example));
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<EdgeExample> best;
  for (auto& [rank, example] : ranked) {
    if (best.size() < kMostExamples) best.push_back(std::move(example));
  }
  return best;
}

void learn(EdgeStatistics& edge, const Step& step, const Evidence& evidence,
           const EdgeExample& example) {
  add(edge.counts, evidence);
  if (evidence.feasible == false) ++edge.failures[std::string(name_of(step.verdict.outcome))];
  if (step.accepted && step.verdict.outcome == Outcome::improved) ++edge.better;
  if (example.episode.empty()) return;
  edge.examples.push_back(example);
  edge.examples = best_examples(std::move(edge.examples));
}

void join(EdgeStatistics& edge, const EdgeStatistics& other) {
  edge.counts = edge.counts.plus(other.counts);
  edge.better += other.better;
  for (const auto& [outcome, count] : other.failures) edge.failures[outcome] += count;
  edge.examples.insert(edge.examples.end(), other.examples.begin(), other.examples.end());
  edge.examples = best_examples(std::move(edge.examples));
}

}  // namespace warpmind::knowledge_base
