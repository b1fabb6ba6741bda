#pragma once
/// \file
/// Intervals by resampling tasks, and within each task its runs; Holm's correction.

#include <cstdint>
#include <vector>

namespace warpmind::agents::benchmark {

/// One value a run, grouped by task.
using Groups = std::vector<std::vector<double>>;

struct Interval {
  double mean = 0;  ///< of the groups' means: every task counts the same
  double low = 0;   ///< 2.5 % and 97.5 % of the resampled means
  double high = 0;
  /// Two-sided: how often a resampled mean lies on the other side of 0, or on it. At least
  /// 1/(samples + 1); 1 without groups.
  double p = 1;
};

struct Resampling {
  std::int64_t samples = 10'000;
  std::uint64_t seed = 1;
};

/// Empty groups are left out. Without any group all is 0.
[[nodiscard]] Interval bootstrap(const Groups& groups, const Resampling& resampling);

/// p values corrected for their number, in the order given: each at most 1, and never below a
/// smaller one's.
[[nodiscard]] std::vector<double> holm(const std::vector<double>& p);

}  // namespace warpmind::agents::benchmark
