#pragma once
/// \file
/// What a language model is told about the GPU.

#include "base/model/device.h"

#include <string>

namespace warpmind::agents::writing {

/// A list with units: limits of a block and a multiprocessor, rates, and the arithmetic intensity
/// at which the roofline bends. A number that the device table does not know is left out.
[[nodiscard]] std::string hardware_brief(const DeviceSpec& device);

}  // namespace warpmind::agents::writing
