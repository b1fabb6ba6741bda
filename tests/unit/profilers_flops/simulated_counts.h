#pragma once
/// \file
/// The simulator as the second opinion of a count: the same launch, every instruction executed.

#include "base/result.h"
#include "profilers/flops/thread_walk.h"
#include "profilers/simulator/profile/launch_record.h"
#include "profilers/simulator/ptx/syntax.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// One parameter: a buffer of zeros, or the bytes of a scalar.
struct SimulatedArgument {
  std::uint64_t buffer_bytes = 0;  ///< 0 = a scalar
  std::vector<std::uint8_t> scalar;
};

/// Runs `kernel` of `ptx`. Errors: those of parser, compiler and run_launch.
[[nodiscard]] Result<simulator::LaunchRecord> simulate_launch(
    const std::string& ptx, const std::string& kernel, const WalkLaunch& shape,
    const std::vector<SimulatedArgument>& arguments);

}  // namespace warpmind::profilers
