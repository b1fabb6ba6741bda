#include "profilers/simulator/cudart/launch_time.h"

#include "profilers/simulator/prediction/model.h"

#include <algorithm>

namespace warpmind::simulator {
namespace {

constexpr double kIssuePerClock = 4;
constexpr double kDefaultLaunchNs = 3000;
constexpr double kHostLinkBytesPerNs = 25;

/// GB/s are bytes a nanosecond.
double dram_rate(const DeviceSpec& device) {
  const double efficiency = device.timing.dram_efficiency;
  return std::max(device.memory_bandwidth_gb_s * (efficiency > 0 ? efficiency : 1), 1.0);
}

/// For a launch whose accesses were not counted: instructions at the issue rate, and the launch.
double bound_ns(const DeviceSpec& device, const LaunchRecord& launch) {
  const double scale = launch.blocks_run > 0 ? static_cast<double>(launch.blocks) /
                                                   static_cast<double>(launch.blocks_run)
                                             : 1;
  // Blocks that do not fill the device leave multiprocessors idle.
  const double busy = std::clamp(static_cast<double>(launch.blocks), 1.0,
                                 static_cast<double>(std::max(device.sm_count, 1)));
  const double clock_ghz = std::max(device.sm_clock_mhz, 1.0) / 1000;
  const double launch_ns =
      device.timing.launch_us > 0 ? device.timing.launch_us * 1000 : kDefaultLaunchNs;
  return static_cast<double>(launch.warp_instructions) * scale /
             (busy * kIssuePerClock * clock_ghz) +
         launch_ns;
}

}  // namespace

double predicted_ns(const DeviceSpec& device, const LaunchRecord& launch,
                    const LaunchRecord* wave) {
  KernelCounts counts{launch};
  counts.wave = wave;
  const auto prediction = predict(counts, device);
  return prediction ? prediction->time_us * 1e3 : bound_ns(device, launch);
}

double copy_ns(const DeviceSpec& device, std::uint64_t bytes, CopyPath path) {
  const auto count = static_cast<double>(bytes);
  return path == CopyPath::device ? 2 * count / dram_rate(device) : count / kHostLinkBytesPerNs;
}

double fill_ns(const DeviceSpec& device, std::uint64_t bytes) {
  return static_cast<double>(bytes) / dram_rate(device);
}

}  // namespace warpmind::simulator
