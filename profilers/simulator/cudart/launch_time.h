#pragma once
/// \file
/// How long the runtime's clock counts device work for.

#include "base/model/device.h"
#include "profilers/simulator/profile/launch_record.h"

#include <cstdint>

namespace warpmind::simulator {

/// By the time model on PTX counts alone (prediction/model.h); a bound where accesses were not
/// counted. A sampled launch counts for all its blocks. Nanoseconds.
[[nodiscard]] double predicted_ns(const DeviceSpec& device, const LaunchRecord& launch,
                                  const LaunchRecord* wave);

/// Where a copy's ends lie.
enum class CopyPath : std::uint8_t { device, host };

/// On the device at DRAM bandwidth, each byte read and written; over the host link at a nominal
/// 25 GB/s (PCIe 4.0 x16), since the device table has no number for it. Nanoseconds.
[[nodiscard]] double copy_ns(const DeviceSpec& device, std::uint64_t bytes, CopyPath path);
[[nodiscard]] double fill_ns(const DeviceSpec& device, std::uint64_t bytes);

}  // namespace warpmind::simulator
