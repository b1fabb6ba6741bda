#pragma once
/// \file
/// How long a launch would take on a device, and what it would be short of.

#include "base/enum_names.h"
#include "base/model/device.h"
#include "base/result.h"
#include "profilers/simulator/prediction/machine_mix.h"
#include "profilers/simulator/prediction/memory_use.h"
#include "profilers/simulator/prediction/resources.h"
#include "profilers/simulator/profile/launch_record.h"
#include "profilers/toolchain/occupancy.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::simulator {

/// What no datasheet says, for all devices: factors on the numbers of TimingModel unless said
/// otherwise. The defaults are fitted to times of an H200
/// (docs/results/2026-11-21-predicted-times.md, validation_bench --fit on half of the families; the
/// others were predicted as well).
struct ModelConstants {
  double exponent = 3.3;  ///< of the norm that joins resources: high = the largest alone counts
  double clock = 1;       ///< of sustained_clock_mhz
  double dram_efficiency = 1;  ///< of dram_efficiency
  double l2_bytes = 1;         ///< of l2_bytes
  double lsu_cycles = 1.16;    ///< of the cycles of load/store units
  double branch_cycles = 40;   ///< a jump costs a warp
  double atomic_cycles = 1;    ///< of atomic_cycles
  double launch = 1;           ///< of launch_us
};

/// How far a time may be believed, by what bounds it.
enum class Confidence : std::uint8_t { low, medium, high };

/// What is known of one launch. `launch` must have counted accesses.
struct KernelCounts {
  const LaunchRecord& launch;
  const LaunchRecord* wave = nullptr;    ///< of run_wave; null = caches are not modelled
  const MachineCode* machine = nullptr;  ///< for the device's architecture; null = PTX only
  int registers_per_thread = 0;          ///< 0 = those of `machine`, else 32
};

struct Prediction {
  double time_us = 0;
  double clock_mhz = 0;
  double elapsed_cycles = 0;  ///< without the launch
  PerResource cycles;         ///< of the busiest multiprocessor
  Resource bound = Resource::latency;
  Confidence confidence = Confidence::low;
  profilers::Occupancy occupancy;
  double waves = 0;         ///< blocks over those that are resident at a time
  double active_warps = 0;  ///< resident on a multiprocessor that has work, mean
  double scale = 1;         ///< blocks of the grid over blocks that ran: of `memory` and `mix`
  MachineMix mix;
  MemoryUse memory;
  double warp_cycles = 0;          ///< of one warp alone
  std::vector<std::string> notes;  ///< what lowers the confidence, one sentence each
};

/// Errors: invalid_argument when the device has no time model, no block of the launch fits on it,
/// or nothing ran.
[[nodiscard]] Result<Prediction> predict(const KernelCounts& kernel, const DeviceSpec& device,
                                         const ModelConstants& constants = {});

}  // namespace warpmind::simulator

namespace warpmind {
WARPMIND_ENUM_NAMES(simulator::Confidence, {simulator::Confidence::low, "low"},
                    {simulator::Confidence::medium, "medium"},
                    {simulator::Confidence::high, "high"});
}  // namespace warpmind
