#pragma once
/// \file
/// Statistics of what a technique gains and how often it works, and the estimate drawn from them.
///
/// What is stored are sufficient statistics by level; the prior enters only when an estimate is
/// asked for, so that a better prior needs no migration. The model is in docs/storage.md.

#include "base/model/bottleneck.h"
#include "base/model/device.h"
#include "base/model/posterior_counts.h"
#include "base/model/reasoning_graph.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace warpmind::knowledge_base {

/// From broad to narrow. Values are on disk (key_codec): never renumber.
enum class PosteriorLevel : std::uint8_t {
  global = 0,
  technique = 1,
  bottleneck = 2,  ///< technique at a bottleneck class
  family = 3,      ///< and on devices of one compute capability
  device = 4,      ///< and on one device model
};
inline constexpr std::size_t kPosteriorLevels = 5;

/// Fields narrower than `level` are empty.
struct PosteriorKey {
  PosteriorLevel level = PosteriorLevel::global;
  Provider provider = Provider::gpu;
  std::string technique;
  std::string bottleneck;
  std::string family;  ///< "sm_90"
  std::string device;  ///< "NVIDIA H200"
  // clang-tidy 14 takes the 0 that a defaulted comparison compares with for a pointer.
  auto operator<=>(const PosteriorKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// Levels of a transition, from broad to narrow. Values are on disk (key_codec): never renumber.
enum class EdgeLevel : std::uint8_t {
  edge = 0,     ///< everywhere
  cluster = 1,  ///< in a cluster of performance states
  family = 2,   ///< and on devices of one compute capability
  device = 3,   ///< and on one device model
};

/// A transition at a level. Fields narrower than `level` are empty, and a device is named without
/// its family.
struct EdgeKey : Edge {
  EdgeLevel level = EdgeLevel::edge;
  auto operator<=>(const EdgeKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

/// Where one observation belongs.
struct PosteriorScope {
  Provider provider = Provider::gpu;
  std::string technique;
  BottleneckClass bottleneck = BottleneckClass::unknown;
  DeviceIdentity device;
};

/// The five keys of `scope`, broad to narrow.
[[nodiscard]] std::array<PosteriorKey, kPosteriorLevels> chain_of(const PosteriorScope& scope);

/// Prediction for the next try of a technique. Gains are factors of time, > 1 is faster.
struct GainEstimate {
  double gain = 1;
  double low = 1;  ///< 80 % predictive interval
  double high = 1;
  double feasibility = 1;
  bool operator==(const GainEstimate&) const = default;
};

inline constexpr double kPriorGain = 1.05;        ///< of a technique nobody tried
inline constexpr double kPriorFeasibility = 0.8;  ///< that it builds and is correct
inline constexpr double kPseudoCounts = 3;        ///< weight of each broader level

/// Normal-Inverse-Gamma on log gain and Beta on feasibility, shrunk along `chain` (broad to
/// narrow). Each level counts only what its narrower level does not hold: no evidence twice.
/// Where the narrowest level that saw a gain saw it under another toolchain than `now`, the
/// variance is widened by variance_factor(); the mean stays.
[[nodiscard]] GainEstimate estimate(std::span<const PosteriorCounts> chain,
                                    const Toolchain& now = {});
[[nodiscard]] GainEstimate estimate(const std::array<PosteriorCounts, kPosteriorLevels>& chain);

/// What is known of a writer's expectations: measured gain over expected gain, as a factor.
struct ExpectationEstimate {
  double factor = 1;
  double low = 1;  ///< 80 % predictive interval
  double high = 1;
};

/// Of the comparisons in `apart`, broad to narrow, none of them in two: shrunk level by level as
/// gains are, from expectations that are right to within a factor of 1.5 in 80 % of tries.
[[nodiscard]] ExpectationEstimate estimate_expectation(std::span<const Moments> apart);

/// Chance that the next try builds and is right, shrunk along `chain` (broad to narrow, the first
/// of all techniques, which does not count: how often edits of any kind work says nothing of one).
[[nodiscard]] double feasibility_along(std::span<const PosteriorCounts> chain,
                                       double prior = kPriorFeasibility);

/// By how much counts at one level move their technique in the order of moves, ln of a factor; 0
/// without evidence. Adding a confirmed gain never lowers it (evidence.h).
[[nodiscard]] double standing_of(const PosteriorCounts& counts);

/// 90 % quantile of Student's t: the Cornish-Fisher expansion, right to 3e-4 from 4 degrees on.
[[nodiscard]] double t_quantile_90(double degrees);

}  // namespace warpmind::knowledge_base
