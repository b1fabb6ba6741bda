#pragma once
/// \file
/// What one step adds to the statistics of a transition. Pure.

#include "base/model/episode.h"
#include "knowledge_base/evidence.h"
#include "knowledge_base/graph/reasoning_graph.h"

#include <cstddef>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

inline constexpr std::size_t kMostExamples = 3;

/// Position of the step that wrote the kernel which step `at` edited; where its parent is not of
/// the episode, of the incumbent. 0 = the kernel as given.
[[nodiscard]] std::size_t origin_of(const Episode& episode, const std::vector<KernelId>& kernels,
                                    std::size_t at);

/// Where a step's transition counts: everywhere, and for its class and its state (once where they
/// are the same) in the cluster, on the device family, on the device.
struct Transition {
  Evidence evidence;
  std::string from;
  std::string cluster;
};
[[nodiscard]] std::vector<EdgeKey> keys_of(const Transition& transition);

/// The example that a step is; empty `episode` where its gain is not confirmed.
[[nodiscard]] EdgeExample example_of(const Episode& episode, const std::vector<KernelId>& kernels,
                                     const Evidence& evidence, std::size_t origin);

/// The best kMostExamples, of different tasks first.
[[nodiscard]] std::vector<EdgeExample> best_examples(std::vector<EdgeExample> examples);

void learn(EdgeStatistics& edge, const Step& step, const Evidence& evidence,
           const EdgeExample& example);

/// Adds what `other` saw of the same transition in another place or time.
void join(EdgeStatistics& edge, const EdgeStatistics& other);

}  // namespace warpmind::knowledge_base
