#pragma once
/// \file
/// Statistics of what a technique gains and how often it works, and the estimate drawn from them.
///
/// What is stored are sufficient statistics by level; the prior enters only when an estimate is
/// asked for, so that a better prior needs no migration. The model is in docs/storage.md.

#include "base/model/bottleneck.h"
#include "base/model/device.h"
#include "base/model/measurement.h"
#include "knowledge_base/toolchain_distance.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>

namespace warpmind::knowledge_base {

/// Weighted count, mean and sum of squared deviations of log gains.
struct Moments {
  double weight = 0;
  double mean = 0;
  double squares = 0;

  void add(double value, double value_weight);
  /// The moments of both sets together.
  [[nodiscard]] Moments plus(const Moments& other) const;
  /// The moments of this set without `part`, which it contains.
  [[nodiscard]] Moments minus(const Moments& part) const;
  bool operator==(const Moments&) const = default;
};

/// Everything that was observed at one level.
struct PosteriorCounts {
  Moments confirmed;            ///< log gains of confirmed comparisons, weight 1 each
  Moments screened;             ///< screening that showed no gain: at most 0, weight 1/2 each
  std::int64_t feasible = 0;    ///< candidates that built and were correct
  std::int64_t infeasible = 0;  ///< candidates that did not
  Toolchain toolchain = {};     ///< of the newest gain among them; empty in records before schema 2

  [[nodiscard]] std::int64_t observations() const;
  [[nodiscard]] bool empty() const;
  /// Both together, with the toolchain of `newer` where it has one.
  [[nodiscard]] PosteriorCounts plus(const PosteriorCounts& newer) const;
  bool operator==(const PosteriorCounts&) const = default;
};

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

/// `to` done right after `from` ("" = first thing). Fields narrower than `level` are empty, and a
/// device is named without its family.
struct EdgeKey {
  EdgeLevel level = EdgeLevel::edge;
  Provider provider = Provider::gpu;
  std::string from;
  std::string to;
  std::string cluster;                               ///< id of a StateCluster
  std::string family;                                ///< "sm_90"
  std::string device;                                ///< "NVIDIA H200"
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

/// 90 % quantile of Student's t: the Cornish-Fisher expansion, right to 3e-4 from 4 degrees on.
[[nodiscard]] double t_quantile_90(double degrees);

}  // namespace warpmind::knowledge_base
