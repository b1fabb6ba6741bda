#pragma once
/// \file
/// Occupancy arithmetic: how many warps of a kernel fit on one SM, and what stops more.

#include "base/enum_names.h"
#include "base/model/device.h"
#include "base/model/profile.h"
#include "base/model/verdict.h"

#include <cstdint>
#include <vector>

namespace warpmind::profilers {

enum class OccupancyLimiter { warps, registers, shared_memory, blocks, too_large };

struct OccupancyQuery {
  int registers_per_thread = 0;
  std::int64_t shared_bytes_per_block = 0;  ///< static plus dynamic
  std::int64_t threads_per_block = 0;
};

struct Occupancy {
  int blocks_per_sm = 0;
  int warps_per_sm = 0;
  double percent = 0;  ///< of the warps that the SM can hold
  OccupancyLimiter limiter = OccupancyLimiter::warps;
  bool operator==(const Occupancy&) const = default;
};

/// By the rules of compute capability 8.0 and later: registers are given to a warp in units of 256
/// within one of four partitions; shared memory to a block in units of 128 bytes plus 1 KiB that
/// the system keeps (7.x: in units of 256 bytes, and nothing is kept). `too_large` when not one
/// block fits. The rules are those of cuda_occupancy.h in CUDA 13.
[[nodiscard]] Occupancy theoretical_occupancy(const OccupancyQuery& query,
                                              const DeviceSpec& device);

/// One launch of a plan: its tier T0 metrics are in docs/measuring.md.
struct StaticLaunch {
  KernelResources resources;
  std::int64_t dynamic_shared_bytes = 0;
  std::int64_t threads_per_block = 0;  ///< 0 = not known (tier B)
  std::int64_t blocks = 0;
};

/// `warpmind__registers_per_thread`, `warpmind__static_shared_bytes`, `warpmind__stack_bytes`,
/// `warpmind__spill_bytes` (stores plus loads), `warpmind__spill_store_bytes`,
/// `warpmind__spill_load_bytes`; and when the launch is known (threads_per_block > 0)
/// `warpmind__dynamic_shared_bytes`, `warpmind__block_threads`, `warpmind__grid_blocks`,
/// `warpmind__waves`, `warpmind__theoretical_occupancy_pct` and `warpmind__limiter` (0 warps,
/// 1 registers, 2 shared memory, 3 blocks, 4 not one block fits).
[[nodiscard]] std::vector<Metric> static_metrics(const StaticLaunch& launch,
                                                 const DeviceSpec& device);

}  // namespace warpmind::profilers
