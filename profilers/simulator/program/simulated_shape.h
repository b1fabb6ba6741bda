#pragma once
/// \file
/// What the caller of a kernel says beside its parameters.

#include "base/model/launch_shape.h"

#include <array>
#include <cstdint>

namespace warpmind::simulator {

using Dim3 = std::array<std::uint32_t, 3>;

struct SimulatedShape : LaunchShape {
  bool cooperative = false;          ///< all blocks run side by side
  std::uint64_t grid_workspace = 0;  ///< cooperative: eight zero bytes for grid.sync(); 0 = none
};

}  // namespace warpmind::simulator
