#pragma once
/// \file
/// Whether a launch is one that a device would take.

#include "base/result.h"
#include "profilers/simulator/exec/launch.h"

namespace warpmind::simulator {

/// Errors: invalid_argument naming the limit, or the instruction that cannot run.
[[nodiscard]] Result<void> check_launch(const LaunchRequest& request);

}  // namespace warpmind::simulator
