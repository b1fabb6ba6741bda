#include "profilers/simulator/prediction/warp_time.h"

#include <algorithm>

namespace warpmind::simulator {
namespace {

// Measured on an H200 with barriers alone, 2026-11-21: 15 clocks for one warp, 77 for 32.
constexpr double kBarrierCycles = 13;
constexpr double kBarrierWarpCycles = 2;
/// Without a schedule: cycles between a warp's instructions, and how many loads it has under way.
constexpr double kCyclesPerInstruction = 3;
constexpr double kLoadsUnderWay = 2;
/// A conflicting shared atomic reads, compares and tries again.
constexpr double kSharedTrips = 2;

Latencies latencies_of(const WarpSetting& setting) {
  Latencies latencies;
  const double load = setting.memory.load_latency(setting.timing);
  latencies.result_cycles(SassClass::load_global) = load;
  latencies.result_cycles(SassClass::async_copy) = load;
  latencies.result_cycles(SassClass::texture) = load;
  // Requests of one warp follow each other through the load/store units.
  const double global = setting.memory.load_requests + setting.memory.store_requests;
  if (global > 0) {
    const double cycles = setting.memory.global_cycles / global;
    latencies.occupancy(SassClass::load_global) = cycles;
    latencies.occupancy(SassClass::store_global) = cycles;
  }
  latencies.result_cycles(SassClass::load_local) = setting.timing.l1_latency_cycles;
  latencies.result_cycles(SassClass::load_shared) = setting.timing.shared_latency_cycles;
  latencies.result_cycles(SassClass::atomic_global) = setting.timing.l2_latency_cycles;
  latencies.result_cycles(SassClass::atomic_shared) =
      kSharedTrips * setting.timing.shared_latency_cycles;
  latencies.branch = setting.branch_cycles;
  // The last warp to arrive is later the more there are.
  latencies.barrier = kBarrierCycles + kBarrierWarpCycles * setting.warps_per_block;
  return latencies;
}

double from_schedule(const MachineMix& mix, const MachineCode& machine,
                     const WarpSetting& setting) {
  const Latencies latencies = latencies_of(setting);
  double cycles = 0;
  for (std::size_t r = 0; r < machine.regions.size(); ++r) {
    std::vector<SassInstruction> code;
    for (const std::uint32_t index : machine.regions[r].instructions) {
      code.push_back(machine.code[index]);
    }
    const double passes = mix.passes[r] / setting.warps_run;
    cycles += passes * simulator::warp_cycles(code, latencies, r > 0);
  }
  return cycles;
}

double from_counts(const MachineMix& mix, const WarpSetting& setting) {
  const double loads =
      setting.memory.load_requests / kLoadsUnderWay * setting.memory.load_latency(setting.timing);
  const double shared =
      setting.memory.shared_requests / kLoadsUnderWay * setting.timing.shared_latency_cycles;
  return (mix.instructions * kCyclesPerInstruction + loads + shared) / setting.warps_run;
}

}  // namespace

double warp_time(const MachineMix& mix, const MachineCode* machine, const WarpSetting& setting) {
  if (setting.warps_run <= 0) return 0;
  const double turns = setting.memory.shared_atomic_turns / setting.warps_run *
                       (kSharedTrips * setting.timing.shared_latency_cycles);
  if (mix.origin == MixOrigin::sass && machine != nullptr) {
    return from_schedule(mix, *machine, setting) + turns;
  }
  return from_counts(mix, setting) + turns;
}

}  // namespace warpmind::simulator
