#pragma once
/// \file
/// The four checks of what a time on this device is worth. Each prints a table.

#include "base/result.h"
#include "tests/bench/gpu_timing/bench_lab.h"

#include <map>
#include <optional>

namespace warpmind::bench {

struct FalseGains {
  std::int64_t pairs = 0;
  std::int64_t false_improved = 0;
  std::int64_t false_regressed = 0;
  double noise_percent = 0;       ///< root mean square of what equal kernels differ by
  double detectable_percent = 0;  ///< seen in 95 of 100, of the kernel where that is largest
};

/// Equal kernels against each other, from 5 us to 20 ms a run.
[[nodiscard]] Result<FalseGains> check_false_gains(BenchLab& lab, const BenchOptions& options);

struct PlantedLosses {
  std::map<std::int64_t, double> seen_share;  ///< by percent of planted loss
  double largest_error_points = 0;            ///< of the estimates, in percentage points
};

/// Kernels that are 1, 2, 5 and 10 % slower by construction.
[[nodiscard]] Result<PlantedLosses> check_planted_losses(BenchLab& lab,
                                                         const BenchOptions& options);

struct ClockAgreement {
  std::int64_t kernels = 0;
  std::int64_t agree = 0;    ///< all clocks that there are, within 2 %, or 5 us below 100 us
  std::int64_t without = 0;  ///< kernels that the profiler gave no time for
};

/// Events, the host's clock and the profiler on the tasks that come along.
[[nodiscard]] Result<ClockAgreement> check_clocks(BenchLab& lab, const BenchOptions& options);

struct CacheEffect {
  double cold_hot_ratio = 0;
  /// Of the cold time, after a process that kept L2; none on the simulator.
  std::optional<double> persisting_change_percent;
};

/// A copy that fits in L2, with and without the flush, and after a process that set L2 aside.
[[nodiscard]] Result<CacheEffect> check_flush(BenchLab& lab, const BenchOptions& options);

}  // namespace warpmind::bench
