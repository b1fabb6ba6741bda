#include "profilers/toolchain/occupancy.h"

#include "base/model/metric_names.h"

#include <algorithm>
#include <limits>

namespace warpmind::profilers {
namespace {

constexpr std::int64_t kWarpThreads = 32;
constexpr std::int64_t kRegisterUnit = 256;  // per warp
constexpr std::int64_t kPartitions = 4;      // of an SM, each with its own registers
constexpr std::int64_t kSharedUnit = 128;
constexpr std::int64_t kSystemSharedBytes = 1024;  // per block
constexpr std::int64_t kVoltaSharedUnit = 256;     // 7.x, which keeps nothing for the system

std::int64_t round_up(std::int64_t value, std::int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

std::int64_t blocks_by_registers(const OccupancyQuery& query, const DeviceSpec& device,
                                 std::int64_t warps_per_block) {
  if (query.registers_per_thread <= 0) return std::numeric_limits<std::int64_t>::max();
  const std::int64_t per_warp = round_up(query.registers_per_thread * kWarpThreads, kRegisterUnit);
  const std::int64_t warps = device.registers_per_sm / kPartitions / per_warp * kPartitions;
  return warps / warps_per_block;
}

std::int64_t blocks_by_shared_memory(const OccupancyQuery& query, const DeviceSpec& device) {
  const std::int64_t per_block =
      device.compute_major >= 8
          ? round_up(query.shared_bytes_per_block, kSharedUnit) + kSystemSharedBytes
          : round_up(std::max<std::int64_t>(query.shared_bytes_per_block, 1), kVoltaSharedUnit);
  if (query.shared_bytes_per_block > std::int64_t{device.shared_kib_per_block} * 1024) return 0;
  return std::int64_t{device.shared_kib_per_sm} * 1024 / per_block;
}

}  // namespace

Occupancy theoretical_occupancy(const OccupancyQuery& query, const DeviceSpec& device) {
  const std::int64_t warps_per_block =
      std::max<std::int64_t>(1, round_up(query.threads_per_block, kWarpThreads) / kWarpThreads);
  const std::int64_t by_warps = device.warps_per_sm / warps_per_block;
  const std::int64_t by_registers = blocks_by_registers(query, device, warps_per_block);
  const std::int64_t by_shared = blocks_by_shared_memory(query, device);
  const std::int64_t by_blocks = device.blocks_per_sm;
  const std::int64_t blocks = std::min({by_warps, by_registers, by_shared, by_blocks});

  Occupancy occupancy;
  occupancy.blocks_per_sm = static_cast<int>(blocks);
  occupancy.warps_per_sm = static_cast<int>(blocks * warps_per_block);
  occupancy.percent =
      device.warps_per_sm > 0 ? 100.0 * occupancy.warps_per_sm / device.warps_per_sm : 0;
  // The kernel's own cause first: a launch at 100 % is limited by the SM's warps.
  occupancy.limiter = blocks == 0              ? OccupancyLimiter::too_large
                      : blocks == by_warps     ? OccupancyLimiter::warps
                      : blocks == by_registers ? OccupancyLimiter::registers
                      : blocks == by_shared    ? OccupancyLimiter::shared_memory
                                               : OccupancyLimiter::blocks;
  return occupancy;
}

std::vector<Metric> static_metrics(const StaticLaunch& launch, const DeviceSpec& device) {
  const KernelResources& use = launch.resources;
  const auto number = [](std::int64_t value) { return static_cast<double>(value); };
  std::vector<Metric> metrics = {
      {metric_names::kRegisters, number(use.registers), "registers"},
      {metric_names::kStaticSharedBytes, number(use.static_shared_bytes), "bytes"},
      {"warpmind__stack_bytes", number(use.stack_bytes), "bytes"},
      {metric_names::kSpillBytes, number(use.spill_store_bytes + use.spill_load_bytes), "bytes"},
      {"warpmind__spill_store_bytes", number(use.spill_store_bytes), "bytes"},
      {"warpmind__spill_load_bytes", number(use.spill_load_bytes), "bytes"},
  };
  if (launch.threads_per_block <= 0) return metrics;
  const Occupancy occupancy =
      theoretical_occupancy({use.registers, use.static_shared_bytes + launch.dynamic_shared_bytes,
                             launch.threads_per_block},
                            device);
  const double resident = static_cast<double>(occupancy.blocks_per_sm) * device.sm_count;
  const std::vector<Metric> of_launch = {
      {metric_names::kDynamicSharedBytes, number(launch.dynamic_shared_bytes), "bytes"},
      {metric_names::kBlockThreads, number(launch.threads_per_block), "count"},
      {metric_names::kGridBlocks, number(launch.blocks), "count"},
      {metric_names::kWaves, resident > 0 ? number(launch.blocks) / resident : 0, "ratio"},
      {metric_names::kOccupancyPct, occupancy.percent, "percent"},
      {"warpmind__limiter", static_cast<double>(occupancy.limiter), "count"},
  };
  metrics.insert(metrics.end(), of_launch.begin(), of_launch.end());
  return metrics;
}

}  // namespace warpmind::profilers
