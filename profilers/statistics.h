#pragma once
/// \file
/// From time samples to statistics and verdicts: the one place that decides what "faster" means.
///
/// The sample is an ABBA quad of blocks; the unit of evidence is a process (its median log ratio
/// over quads), because blocks of one process share addresses, clocks and temperature. The error
/// rates of this rule under simulated noise are in docs/results/2026-11-23-false-gains.md.

#include "base/model/measurement.h"
#include "base/model/verdict.h"
#include "profilers/job/runner_job.h"

#include <cstddef>
#include <vector>

namespace warpmind::profilers {

/// Smallest gain that is called a gain, however sure: 0.5 %.
inline constexpr double kSmallestGain = 0.005;
/// `same`: the 90 % interval lies within 1 % of no change.
inline constexpr double kSameBand = 0.01;
/// A screening median of 1 % or more is worth a confirmation.
inline constexpr double kPromisingRatio = 1.01;

struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// 95 % interval of the median by order statistics, free of assumptions on the distribution; with
/// fewer than 6 values there is none, and the extremes are given.
[[nodiscard]] MedianInterval median_interval(std::vector<double> values);

/// Quantile of Student's t: the t with P(T <= t) = `probability` (0.5 … 1) at `freedom` >= 1.
[[nodiscard]] double student_t_quantile(double probability, double freedom);

/// log(incumbent / candidate) of one quad: > 0 is faster. The quad must have both sides, > 0.
[[nodiscard]] double log_ratio(const QuadSample& quad);

/// Of the quads that are complete, finite and positive.
[[nodiscard]] std::vector<double> quad_log_ratios(const std::vector<QuadSample>& quads);

/// Median of quad_log_ratios; 0 quads give 0.
[[nodiscard]] double process_log_ratio(const std::vector<QuadSample>& quads);

struct Decision {
  Comparison comparison;
  Outcome outcome = Outcome::inconclusive;  ///< improved, same, regressed or inconclusive
};

/// The confirmation rule on one log ratio per fresh process pair. `noise` is this device's A/A
/// noise as a log ratio. Needs 3 processes: fewer are inconclusive.
[[nodiscard]] Decision decide(const std::vector<double>& process_log_ratios, double noise,
                              std::int64_t quads);

/// The screening rule on the quads of one process: never `improved`, whatever it looks like.
/// `promising` asks for a confirmation.
struct Screening {
  Decision decision;
  bool promising = false;
};
[[nodiscard]] Screening screen(const std::vector<double>& log_ratios, double noise);

/// A/A noise seen in blocks of one kernel alone: they are taken as if they were ABBA quads of two
/// equal kernels.
[[nodiscard]] double self_noise(const std::vector<double>& blocks_ns);

}  // namespace warpmind::profilers
