#pragma once
/// \file
/// How far predictions may be off: the widths of every 80 % interval of a predicted time or gain.
/// Fitted to an H200 by tests/bench/calibration, which says how well they hold on operator families
/// that were left out (docs/simulator.md, decision 0063).

#include "base/model/measurement.h"

#include <optional>
#include <string_view>

namespace warpmind {

/// What the intervals are to hold.
inline constexpr double kPredictionCoverage = 0.8;

/// Half of an 80 % interval in deviations of a normal distribution.
inline constexpr double kEightyPercent = 1.2816;

/// The simulator's time of a kernel is off by less than this factor in 80 % of kernels, families
/// counting the same; nullopt where `confidence` is not "high" or "medium": nobody can say.
[[nodiscard]] std::optional<double> time_factor(std::string_view confidence);

/// Likewise the ratio of two kernels' times on one workload; their errors have some in common.
[[nodiscard]] std::optional<double> gain_factor(std::string_view one, std::string_view other);

/// A predicted gain without interval is claimed from this factor on: 19 of 20 such kernels are
/// faster.
inline constexpr double kClaimWithoutInterval = 1.5;

/// Whether the interval may be told. A prediction of low confidence has none: both bounds are 0, in
/// JSON null.
[[nodiscard]] constexpr bool has_interval(const Comparison& comparison) {
  return comparison.high > 0;
}
[[nodiscard]] inline bool has_interval(const Measurement& measurement) {
  return measurement.high_ns > 0;
}

/// Whether the kernel may be called faster, or slower, than the one it was compared with.
[[nodiscard]] constexpr bool claims_gain(const Comparison& comparison) {
  return has_interval(comparison) ? comparison.low > 1 : comparison.ratio > kClaimWithoutInterval;
}
[[nodiscard]] constexpr bool claims_loss(const Comparison& comparison) {
  return has_interval(comparison) ? comparison.high < 1
                                  : comparison.ratio * kClaimWithoutInterval < 1;
}

/// How far the gain of a move may be from what is expected before it is tried, as half an 80 %
/// interval in ln(gain). `deviation` is what evidence leaves open of a small gain: expectations of
/// large gains are off by more.
[[nodiscard]] double move_reach(double log_gain, double deviation);

}  // namespace warpmind
