#pragma once
/// \file
/// Widths of 80 % intervals, and how often they hold on families that the fit did not see.

#include "tests/bench/calibration/prediction_table.h"

#include <cstddef>
#include <string>
#include <vector>

namespace warpmind::calibration {

/// How far one prediction was off.
struct Miss {
  std::string family;
  std::string confidence;
  double off = 0;  ///< |ln(measured / predicted)|, or over what is fitted to be its unit
};

/// Of every kernel.
[[nodiscard]] std::vector<Miss> time_misses(const std::vector<PredictedTime>& times);
/// Of every pair of kernels of one task, with the lower confidence of the two.
[[nodiscard]] std::vector<Miss> gain_misses(const std::vector<PredictedTime>& times);

/// The half width that holds `share` of the misses; families count the same, whatever the number of
/// their rows. 0 without misses.
[[nodiscard]] double fitted_width(const std::vector<Miss>& misses, double share);
/// Those that an interval is printed for (true), or those of low confidence.
[[nodiscard]] std::vector<Miss> with_interval(const std::vector<Miss>& misses, bool printed);

/// What is said of moves: least kMissPerGain (base/prediction_interval.cpp) that holds `share`.
[[nodiscard]] double fitted_miss_per_gain(const std::vector<ExpectedGain>& gains, double share);

/// Each family is held against what was fitted to the others.
struct Coverage {
  std::size_t rows = 0;
  std::size_t inside = 0;
  std::size_t families = 0;
  double of_families = 0;  ///< mean of the families' shares

  [[nodiscard]] double share() const {
    return rows == 0 ? 0 : static_cast<double>(inside) / static_cast<double>(rows);
  }
};
[[nodiscard]] Coverage left_out_coverage(const std::vector<Miss>& misses, double share);
[[nodiscard]] Coverage left_out_coverage(const std::vector<ExpectedGain>& gains, double share);

}  // namespace warpmind::calibration
