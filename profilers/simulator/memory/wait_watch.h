#pragma once
/// \file
/// Tells a block that waits from one that computes: it reads the same places again and again, and
/// they never change.

#include "profilers/simulator/memory/global_access.h"

namespace warpmind::simulator {

/// A load or an atomic operation of a watched block (BlockState::watched), before it is made.
/// Where LaunchState::tells_waits is set, a read of what was read before ends the launch.
void watch_read(const Access& access, const Pointers& values);

/// A store, or a copy: the block gets on.
inline void watch_write(const Access& access) { access.warp.polls.gets_on = true; }

}  // namespace warpmind::simulator
