#pragma once
/// \file
/// What a launch asks of the memory system, summed over its blocks that ran.

#include "base/model/device.h"
#include "profilers/simulator/profile/launch_record.h"

namespace warpmind::simulator {

/// Of the blocks that ran. Cycles are of one multiprocessor that did all of it.
struct MemoryUse {
  double global_cycles = 0;  ///< load/store units, global and local memory
  double shared_cycles = 0;
  double shared_load_cycles = 0;  ///< of those, plain loads: ptxas joins neighbours
  double shuffle_cycles = 0;
  double load_requests = 0;  ///< global, by warps
  double load_sectors = 0;
  double load_lines = 0;
  double store_requests = 0;  ///< global, by warps
  double store_sectors = 0;
  double l1_hits = 0;     ///< sectors of loads
  double l2_sectors = 0;  ///< all that L1 let through
  double l2_hits = 0;
  double l2_read_work = 0;       ///< of l2_sectors, the time: in sectors of whole lines read
  double l2_write_work = 0;      ///< the same unit; other wires
  double load_dram_sectors = 0;  ///< of loads
  double dram_read_sectors = 0;  ///< of loads and atomics
  double dram_write_sectors = 0;
  double shared_requests = 0;  ///< loads, those of matrices too
  double matrix_requests = 0;  ///< of those, wmma.load and ldmatrix
  double atomic_cycles = 0;    ///< turns at the busiest address, device-wide, at one cycle each
  bool atomics_on_one_address = false;  ///< assumed, as nothing says how many there are
  double shared_atomic_turns = 0;       ///< requests and conflicts
  bool has_cache_rates = false;

  [[nodiscard]] double dram_sectors() const { return dram_read_sectors + dram_write_sectors; }
  /// 0 … 1; 0 without loads.
  [[nodiscard]] double l1_hit_rate() const { return load_sectors > 0 ? l1_hits / load_sectors : 0; }
  [[nodiscard]] double l2_hit_rate() const { return l2_sectors > 0 ? l2_hits / l2_sectors : 0; }
  /// Mean latency of a global load in cycles.
  [[nodiscard]] double load_latency(const TimingModel& timing) const;
};

/// Hit rates of each instruction come from `wave` where there is one (of an instruction that the
/// wave did not reach: a load's are those of the other loads, what is stored goes to DRAM once);
/// without, every sector goes to DRAM. `warps_add_up`: the code may join a warp's atomics on one
/// address first.
[[nodiscard]] MemoryUse memory_use(const LaunchRecord& launch, const LaunchRecord* wave,
                                   const TimingModel& timing, bool warps_add_up);

/// Load/store cycles of one instruction on a multiprocessor that did all of it.
[[nodiscard]] double access_cycles(const InstructionRecord& instruction, const TimingModel& timing);

[[nodiscard]] bool is_atomic(const InstructionRecord& instruction);
/// Global (or local) memory: what counts sectors.
[[nodiscard]] bool touches_sectors(const InstructionRecord& instruction);
/// `shared` was asked for, by name or by a generic address.
[[nodiscard]] bool touches_banks(const InstructionRecord& instruction);

}  // namespace warpmind::simulator
