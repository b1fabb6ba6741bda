#pragma once
/// \file
/// How long one warp alone takes.

#include "base/model/device.h"
#include "profilers/simulator/prediction/machine_mix.h"
#include "profilers/simulator/prediction/memory_use.h"

namespace warpmind::simulator {

/// What a warp runs among, for warp_time().
struct WarpSetting {
  const TimingModel& timing;
  const MemoryUse& memory;
  double warps_run = 0;        ///< that `mix` and `memory` sum over
  double warps_per_block = 1;  ///< meet at a barrier
  double branch_cycles = 0;
};

/// Cycles. From the schedule of `machine` where the mix is of machine code; else from counts:
/// dependent instructions and loads, a rough guess.
[[nodiscard]] double warp_time(const MachineMix& mix, const MachineCode* machine,
                               const WarpSetting& setting);

}  // namespace warpmind::simulator
