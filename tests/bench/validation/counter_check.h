#pragma once
/// \file
/// Counts of the simulator against hardware counters and outputs of the GPU.

#include "tests/bench/validation/compared_point.h"

#include <string>
#include <vector>

namespace warpmind::validation {

struct CounterCheck {
  std::string id;
  std::string counter;
  double simulated = 0;
  double measured = 0;
  bool whole = false;     ///< every block was simulated
  bool is_banks = false;  ///< conflicts: the machine counts waits for other work, too
  double passes = 0;      ///< measured passes through the shared banks

  /// Whole runs to the last one; samples, scaled up, within 1 %; bank conflicts within 1 % of the
  /// passes.
  [[nodiscard]] bool agrees() const;
};

/// Requests and sectors of global loads and stores, and shared bank conflicts, of every point that
/// has counters.
[[nodiscard]] std::vector<CounterCheck> check_counters(const std::vector<ComparedPoint>& points,
                                                       const MeasuredTable& measured,
                                                       const DeviceSpec& device);

/// Within rounding: sums of f32 outputs depend on the order of additions.
[[nodiscard]] bool sums_agree(const Checksum& simulated, const Checksum& measured);

}  // namespace warpmind::validation
