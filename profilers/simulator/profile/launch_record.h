#pragma once
/// \file
/// What one launch did: counts by instruction. Exact for the blocks that ran.

#include "profilers/simulator/checks/check_recorder.h"
#include "profilers/simulator/exec/warp.h"
#include "profilers/simulator/program/program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::simulator {

/// Of one memory instruction.
struct AccessCounters {
  std::uint64_t requests = 0;  ///< warp instructions with an active lane
  std::uint64_t lanes = 0;
  std::uint64_t bytes = 0;             ///< asked for by lanes
  std::uint64_t sectors = 0;           ///< global: distinct 32-byte sectors, summed over requests
  std::uint64_t lines = 0;             ///< global: distinct 128-byte lines, summed
  std::uint64_t wavefronts = 0;        ///< shared: passes through the banks
  std::uint64_t ideal_wavefronts = 0;  ///< shared: passes had there been no conflict
  std::uint64_t l1_hits = 0;           ///< sectors found in L1 (wave mode)
  std::uint64_t l2_hits = 0;           ///< sectors found in L2, of those that missed L1 (wave mode)
  std::uint64_t dram_sectors = 0;      ///< wave mode
  std::uint64_t atomic_conflicts = 0;  ///< atomics: lanes beyond the first on one address, summed
};

/// An instruction with what it did. A record holds only those that ran.
struct InstructionRecord : StaticInstruction {
  Space space = Space::generic;  ///< of a memory instruction
  bool is_memory = false;
  bool is_store = false;
  std::uint64_t executions = 0;  ///< by warps, with at least one lane (guards considered)
  std::uint64_t lanes = 0;       ///< threads
  AccessCounters access;
};

struct LaunchRecord {
  std::string kernel;
  Dim3 grid{};
  Dim3 block{};
  std::uint32_t static_shared = 0;
  std::uint32_t dynamic_shared = 0;
  std::uint64_t blocks = 0;      ///< of the grid
  std::uint64_t blocks_run = 0;  ///< wave mode: at least in part
  /// Steps of the block that took most over the mean of those that ran; 1 where blocks took turns.
  double busiest_block = 1;
  bool wave = false;  ///< made by run_wave: only rates are meant
  std::uint64_t warp_instructions = 0;
  std::uint64_t thread_instructions = 0;
  std::uint64_t branches = 0;  ///< by warps
  std::uint64_t divergent_branches = 0;
  std::uint64_t barriers = 0;  ///< arrivals of warps
  double seconds = 0;          ///< CPU time of the simulation
  LaunchEnd end = LaunchEnd::completed;
  std::string end_reason;
  std::vector<InstructionRecord> instructions;  ///< empty unless accesses were counted
  std::vector<CheckEntry> checks;
  /// Source lines of strong reads that saw a value from before the last write: no fault, but a
  /// reason for a wrong result.
  std::vector<int> late_reads;
};

}  // namespace warpmind::simulator
