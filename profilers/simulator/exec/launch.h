#pragma once
/// \file
/// Runs one kernel launch.

#include "base/model/device.h"
#include "base/result.h"
#include "profilers/simulator/checks/check_recorder.h"
#include "profilers/simulator/exec/warp.h"
#include "profilers/simulator/profile/launch_record.h"
#include "profilers/simulator/program/program.h"

#include <cstdint>
#include <span>
#include <string>

namespace warpmind::simulator {

struct LaunchRequest : SimulatedShape {
  const CompiledModule& module;
  const Program& program;
  std::span<const std::byte> parameters;  ///< laid out as Program::parameters say
};

/// How much is looked at. Bounds, alignment and lifetime of accesses are always checked.
struct LaunchOptions {
  bool check_initialised = true;
  bool check_shared_races = true;
  bool check_global_races = true;
  bool reversed = false;          ///< warps and blocks in reverse order
  bool drawn = false;             ///< blocks in an order of sample_seed
  bool count_accesses = true;     ///< sectors, bank conflicts
  std::uint64_t block_limit = 0;  ///< run so many blocks, evenly spread; 0 = all
  std::uint64_t step_limit = std::uint64_t{1} << 32U;  ///< basic blocks of warps
  double seconds = 0;  ///< wall time that the launch may take; 0 = as long as it needs
  /// Stops after this many warp instructions, between blocks, and says how many ran; 0 = never.
  std::uint64_t instruction_budget = 0;
  /// Which blocks a limit takes, and in which order written_blocks_only does: a kernel cannot know
  /// it. 0 = spread evenly.
  std::uint64_t sample_seed = 0;
  /// Blocks run in an order of the seed, and what a block has written is put back when it has read
  /// what no block wrote: what is left is what a run of the whole grid would leave there. Needs
  /// check_initialised.
  bool written_blocks_only = false;
};

/// Runs blocks one after the other, warps from barrier to barrier. A block that waits for one that
/// has not started is a finding and ends the launch. Blocks of a cooperative launch run in turns,
/// all of them: neither limit nor sample apply.
/// Errors: invalid_argument for a program that is unsupported or a configuration that no device
/// takes; the sentence names the instruction or the limit. What the kernel does wrong is in the
/// record.
[[nodiscard]] Result<LaunchRecord> run_launch(const LaunchRequest& request,
                                              const LaunchOptions& options, DeviceMemory& memory);

/// Interleaves one wave of resident blocks in slices of basic blocks, with one L1 a multiprocessor
/// and one L2, so that hit rates mean something. Device memory stays as it was: the launch itself
/// finds what it would have found. `resident` = blocks a multiprocessor; `instruction_budget` warp
/// instructions in all, twice as many where no block ends within them. The first quarter warms the
/// caches and is not counted where the first blocks ended in it. `seed` decides where in the grid
/// it begins (0 = at the first block).
[[nodiscard]] Result<LaunchRecord> run_wave(const LaunchRequest& request, const DeviceSpec& device,
                                            std::uint32_t resident,
                                            std::uint64_t instruction_budget, DeviceMemory& memory,
                                            std::uint64_t seed = 0);

}  // namespace warpmind::simulator
