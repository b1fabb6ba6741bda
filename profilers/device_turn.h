#pragma once
/// \file
/// Whose turn it is on a device.

#include <shared_mutex>

namespace warpmind::profilers {

/// Held alone by who measures; shared by runs whose times are not used.
using DeviceTurn = std::shared_mutex;

}  // namespace warpmind::profilers
