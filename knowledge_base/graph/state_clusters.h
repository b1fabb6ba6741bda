#pragma once
/// \file
/// Which performance state a profile belongs to: pure functions over the states of one class. The
/// rules, with their figures, are in docs/graph.md.

#include "knowledge_base/graph/reasoning_graph.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

using Features = std::map<std::string, double>;

/// Two vectors say something about each other only when they share this many features.
inline constexpr std::size_t kLeastSharedFeatures = 3;
/// Farther from every state of the class than this: a new state.
inline constexpr double kNewStateDistance = 0.2;
/// States that came this near to each other are one.
inline constexpr double kMergeDistance = 0.08;
/// A centroid moves as if it had at most this many members, so that it can follow.
inline constexpr std::int64_t kMostWeight = 64;
/// What a centroid of the seed weighs before it has members.
inline constexpr std::int64_t kSeedWeight = 8;
/// States of a class that are alive. The next far vector goes to the nearest of them.
inline constexpr std::size_t kMostStates = 24;

/// Root of the mean squared difference over the features that both have, which all lie in 0 … 1
/// (retrieval/features.h); those that restate the class ("bottleneck.…") are left out. nullopt when
/// too few are shared.
[[nodiscard]] std::optional<double> distance(const Features& a, const Features& b);

/// The state that `id` stands for: itself, or the one that took it in.
[[nodiscard]] std::string alive(const std::vector<StateCluster>& states, std::string id);

/// Where a vector would go. Empty = a new state.
[[nodiscard]] std::string nearest(const std::vector<StateCluster>& states,
                                  BottleneckClass bottleneck, const Features& profile);

/// Puts a vector into a state of its class (`states`: all of the class, that of the class itself
/// first, then those of the seed, then by age), makes a
/// new one when nothing is near, moves the centroid, and merges states that drifted together.
/// Returns the id of the state.
[[nodiscard]] std::string take_in(std::vector<StateCluster>& states, BottleneckClass bottleneck,
                                  const Features& profile);

}  // namespace warpmind::knowledge_base
