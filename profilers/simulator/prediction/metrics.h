#pragma once
/// \file
/// Launches as metrics, under CUPTI's names where CUPTI has one.

#include "base/model/device.h"
#include "base/model/profile.h"
#include "profilers/simulator/prediction/model.h"
#include "profilers/simulator/profile/launch_record.h"

#include <cstddef>
#include <span>
#include <vector>

namespace warpmind::simulator {

/// Sums are of the whole grid. `exact`: counted, and the machine counts the same; when only some
/// blocks ran, sums are scaled up and `modelled`. Instructions are `modelled`: the machine runs
/// other ones than PTX. Our own names, beside those of static_metrics():
///   warpmind__flops_f16 _f32 _f64 _tensor  (count)
///   warpmind__ptx_warp_instructions, warpmind__ptx_thread_instructions  (count)
///   warpmind__branches, warpmind__divergent_branches, warpmind__barriers  (count, PTX, by warps)
///   warpmind__atomics, warpmind__atomic_conflicts  (count, lanes)
///   warpmind__load_bytes, warpmind__store_bytes  (count, global, asked for by lanes)
///   warpmind__shared_wavefronts, warpmind__local_sectors  (count)
///   warpmind__simulated_blocks_pct  (percent)
/// With `prediction` also predicted time, traffic and use of pipes, and
/// warpmind__predicted_waves (ratio), warpmind__warp_cycles (count), warpmind__atomics_pct (percent
/// of the time that the turns of atomics on one address take). `time_share` stays 1: see
/// share_time().
[[nodiscard]] KernelProfile kernel_profile(const LaunchRecord& launch, const DeviceSpec& device,
                                           const Prediction* prediction);

/// Sets each kernel's `time_share` by its gpu__time_duration.sum; equal shares without it.
void share_time(std::vector<KernelProfile>& kernels);

/// What lines of the source cost, hottest first, of launches on `device`:
///   warpmind__line_cycles_pct  (percent of the cycles that issue and load/store units take)
///   warpmind__line_cycles_issue_pct, _global_memory_pct, _shared_memory_pct, _local_memory_pct,
///   _atomics_pct  (what those are spent on)
///   warpmind__line_instructions_pct  (percent, PTX by warps)
///   warpmind__line_executions  (count, by warps: the line's most executed instruction)
///   warpmind__line_sectors_per_request, warpmind__line_bank_conflicts,
///   warpmind__line_atomic_conflicts  (where the line has such accesses)
[[nodiscard]] std::vector<LineProfile> line_profiles(std::span<const LaunchRecord> launches,
                                                     const DeviceSpec& device,
                                                     std::size_t most = 20);

}  // namespace warpmind::simulator
