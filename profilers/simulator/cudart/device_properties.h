#pragma once
/// \file
/// The simulated device as CUDA describes one.

#include "base/model/device.h"
#include "profilers/simulator/cudart/cuda_api.h"

#include <optional>

namespace warpmind::simulator {

/// From the row of the device table, and the limits that all supported architectures share.
[[nodiscard]] cudaDeviceProp device_properties(const DeviceSpec& device);

/// nullopt for an attribute that the simulated device has no value for.
[[nodiscard]] std::optional<int> device_attribute(const DeviceSpec& device, cudaDeviceAttr which);

}  // namespace warpmind::simulator
