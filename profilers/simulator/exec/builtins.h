#pragma once
/// \file
/// Device functions that no module defines and the machine provides.

#include "profilers/simulator/exec/warp.h"

namespace warpmind::simulator {

/// Runs `site.builtin` for the lanes of `active`; `instruction` is the call. vprintf writes to the
/// standard output of the process, lane by lane; __assertfail ends the launch as a fault; malloc,
/// free and every other name end it as unsupported.
void run_builtin(Warp& warp, const Instruction& instruction, const CallSite& site, Mask active);

}  // namespace warpmind::simulator
