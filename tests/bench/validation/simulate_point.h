#pragma once
/// \file
/// Runs a point of the table in the simulator.

#include "base/model/device.h"
#include "profilers/simulator/profile/launch_record_codec.h"
#include "tests/bench/validation/simulated_buffers.h"

#include <filesystem>
#include <optional>

namespace warpmind::validation {

/// How much of a point is run.
struct SimulationBudget {
  std::uint64_t sampled_blocks = 64;  ///< of larger grids
  /// Points of no more thread instructions run whole, and their outputs are summed up.
  double whole_thread_instructions = 0.3e9;
  std::uint64_t wave_instructions = 4'000'000;  ///< by warps
};

struct SimulatedPoint {
  simulator::LaunchReport report;
  std::optional<Checksum> sum;  ///< where every block ran
};

/// `binaries` holds what build_cubins.sh made. Counts without checks, then runs a wave through
/// caches. Errors: those of the simulator; not_found where a build is missing.
[[nodiscard]] Result<SimulatedPoint> simulate(
    const Point& point, const std::filesystem::path& binaries, const DeviceSpec& device,
    const SimulationBudget& budget, SimulatedBuffers& buffers, simulator::DeviceMemory& memory);

}  // namespace warpmind::validation
