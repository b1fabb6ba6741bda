#pragma once
/// \file
/// How well predicted times order and meet measured ones.

#include <cstddef>
#include <vector>

namespace warpmind::validation {

struct TimePair {
  double predicted = 0;  ///< any unit, the same for both
  double measured = 0;
};

/// Pairs of points by whether both times order them alike. Measured ties are left out; a predicted
/// tie counts as half right.
struct Ordering {
  double right = 0;
  double pairs = 0;

  Ordering& operator+=(const Ordering& other);
  /// 0 … 1; 1 without pairs.
  [[nodiscard]] double share() const { return pairs > 0 ? right / pairs : 1; }
  /// Kendall's tau: -1 … 1; 1 without pairs.
  [[nodiscard]] double tau() const { return 2 * share() - 1; }
};

/// Over all pairs whose measured times are more than `margin` apart (0.1: the longer takes more
/// than 1.1 times the shorter).
[[nodiscard]] Ordering ordering_of(const std::vector<TimePair>& points, double margin);

/// Measured time of the point that is predicted to be the fastest over that of the fastest: 1 = the
/// best was chosen. 1 without points.
[[nodiscard]] double top_regret(const std::vector<TimePair>& points);

/// The value below which `share` of `values` lie, interpolated; 0 without values.
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// predicted / measured.
[[nodiscard]] std::vector<double> factors_of(const std::vector<TimePair>& points);

/// exp of the mean of |log factor|: 1 = exact; 1 without points.
[[nodiscard]] double mean_factor(const std::vector<TimePair>& points);

/// The factors by which predicted ratios of two points miss the measured ratios, each at least 1.
[[nodiscard]] std::vector<double> ratio_misses(const std::vector<TimePair>& points);

}  // namespace warpmind::validation
