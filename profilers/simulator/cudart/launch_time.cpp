#include "profilers/simulator/cudart/launch_time.h"

#include <algorithm>

namespace warpmind::simulator {
namespace {

constexpr double kIssuePerClock = 4;
constexpr double kSectorBytes = 32;
constexpr double kDefaultLaunchNs = 3000;
constexpr double kHostLinkBytesPerNs = 25;

/// GB/s are bytes a nanosecond.
double dram_rate(const DeviceSpec& device) {
  const double efficiency = device.timing.dram_efficiency;
  return std::max(device.memory_bandwidth_gb_s * (efficiency > 0 ? efficiency : 1), 1.0);
}

/// Share of the sectors that went to DRAM; 1 without a wave.
double dram_share(const LaunchRecord* wave) {
  if (wave == nullptr) return 1;
  double sectors = 0;
  double dram = 0;
  for (const InstructionRecord& one : wave->instructions) {
    sectors += static_cast<double>(one.access.sectors);
    dram += static_cast<double>(one.access.dram_sectors);
  }
  return sectors > 0 ? std::min(dram / sectors, 1.0) : 1;
}

}  // namespace

double predicted_ns(const DeviceSpec& device, const LaunchRecord& launch,
                    const LaunchRecord* wave) {
  const double scale = launch.blocks_run > 0 ? static_cast<double>(launch.blocks) /
                                                   static_cast<double>(launch.blocks_run)
                                             : 1;
  double sectors = 0;
  for (const InstructionRecord& one : launch.instructions) {
    sectors += static_cast<double>(one.access.sectors);
  }
  // Blocks that do not fill the device leave multiprocessors idle.
  const double busy = std::clamp(static_cast<double>(launch.blocks), 1.0,
                                 static_cast<double>(std::max(device.sm_count, 1)));
  const double clock_ghz = std::max(device.sm_clock_mhz, 1.0) / 1000;
  const double issue_ns =
      static_cast<double>(launch.warp_instructions) * scale / (busy * kIssuePerClock * clock_ghz);
  const double dram_ns = sectors * kSectorBytes * scale * dram_share(wave) / dram_rate(device);
  const double launch_ns =
      device.timing.launch_us > 0 ? device.timing.launch_us * 1000 : kDefaultLaunchNs;
  return std::max(issue_ns, dram_ns) + launch_ns;
}

double copy_ns(const DeviceSpec& device, std::uint64_t bytes, CopyPath path) {
  const auto count = static_cast<double>(bytes);
  return path == CopyPath::device ? 2 * count / dram_rate(device) : count / kHostLinkBytesPerNs;
}

double fill_ns(const DeviceSpec& device, std::uint64_t bytes) {
  return static_cast<double>(bytes) / dram_rate(device);
}

}  // namespace warpmind::simulator
