#pragma once
/// \file
/// Sufficient statistics of what a technique gains and how often it works.

#include <cstdint>
#include <string>

namespace warpmind {

/// Half a count of rounding: below it a difference of weights is nothing.
inline constexpr double kNoWeight = 1e-9;

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

/// What compiled and ran a kernel. An empty member is unknown.
struct Toolchain {
  std::string toolkit;  ///< nvcc release, "13.0"
  std::string driver;   ///< "580.159.04", or the CUDA driver version "13.0" where NVML is absent
  bool operator==(const Toolchain&) const = default;
};

/// Everything that was observed at one level.
struct PosteriorCounts {
  Moments confirmed;            ///< log gains of confirmed comparisons, weight 1 each
  Moments screened;             ///< screening that showed no gain: at most 0, weight 1/2 each
  std::int64_t feasible = 0;    ///< candidates that built and were correct
  std::int64_t infeasible = 0;  ///< candidates that did not
  /// ln(measured gain / what the writer expected) of all those comparisons: a gain over a kernel
  /// that may have been bad says little about the next kernel, a surprise does.
  Moments surprise = {};
  /// The same as it counts for the order of moves: there a gain never counts against its move.
  Moments standing = {};
  Toolchain toolchain = {};  ///< of the newest gain among them; empty in records before schema 2

  [[nodiscard]] std::int64_t observations() const;
  [[nodiscard]] bool empty() const;
  /// Both together, with the toolchain of `newer` where it has one.
  [[nodiscard]] PosteriorCounts plus(const PosteriorCounts& newer) const;
  bool operator==(const PosteriorCounts&) const = default;
};

}  // namespace warpmind
