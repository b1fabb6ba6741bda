#include "profilers/simulator/exec/special_registers.h"

#include "profilers/simulator/memory/access.h"

namespace warpmind::simulator {
namespace {

/// Of a warp instruction, for %globaltimer.
constexpr std::uint64_t kNanoseconds = 2;

std::uint64_t lane_mask(SpecialRegister which, int lane) {
  const std::uint64_t own = std::uint64_t{1} << static_cast<unsigned>(lane);
  const std::uint64_t below = own - 1;
  constexpr std::uint64_t kAll = 0xffffffff;
  switch (which) {
    case SpecialRegister::lanemask_eq: return own;
    case SpecialRegister::lanemask_lt: return below;
    case SpecialRegister::lanemask_le: return below | own;
    case SpecialRegister::lanemask_gt: return kAll & ~(below | own);
    default: return kAll & ~below;
  }
}

std::uint32_t axis(SpecialRegister which, SpecialRegister x) {
  return static_cast<std::uint32_t>(which) - static_cast<std::uint32_t>(x);
}

/// Blocks are their own clusters.
std::uint64_t cluster_value(SpecialRegister which) {
  switch (which) {
    case SpecialRegister::cluster_nctaid_x:
    case SpecialRegister::cluster_nctaid_y:
    case SpecialRegister::cluster_nctaid_z:
    case SpecialRegister::cluster_nctarank: return 1;
    default: return 0;
  }
}

}  // namespace

bool differs_by_lane(SpecialRegister which) {
  return which <= SpecialRegister::tid_z || which == SpecialRegister::laneid ||
         (which >= SpecialRegister::lanemask_eq && which <= SpecialRegister::lanemask_ge);
}

std::uint64_t special_value(const Warp& warp, SpecialRegister which, int lane) {
  const LaunchState& launch = *warp.launch;
  const BlockState& block = *warp.block;
  using enum SpecialRegister;
  switch (which) {
    case tid_x:
    case tid_y:
    case tid_z: return thread_index(warp, lane)[axis(which, tid_x)];
    case ntid_x:
    case ntid_y:
    case ntid_z: return launch.block[axis(which, ntid_x)];
    case ctaid_x:
    case ctaid_y:
    case ctaid_z: return block.index[axis(which, ctaid_x)];
    case nctaid_x:
    case nctaid_y:
    case nctaid_z: return launch.grid[axis(which, nctaid_x)];
    case laneid: return static_cast<std::uint64_t>(lane);
    case warpid: return warp.index;
    case nwarpid: return block.warps.size();
    case smid: return block.sm;
    case nsmid: return kMultiprocessors;
    case lanemask_eq:
    case lanemask_lt:
    case lanemask_le:
    case lanemask_gt:
    case lanemask_ge: return lane_mask(which, lane);
    case clock:
    case clock64: return launch.clock;
    case clock_hi: return launch.clock >> 32U;
    case globaltimer:
    case globaltimer_lo: return launch.clock * kNanoseconds;
    case globaltimer_hi: return (launch.clock * kNanoseconds) >> 32U;
    case gridid: return launch.id;
    case dynamic_smem_size: return launch.shared_bytes;
    case total_smem_size: return block.shared_bytes;
    case envreg1: return launch.grid_workspace >> 32U;
    case envreg2: return launch.grid_workspace & 0xffffffffU;
    default: return cluster_value(which);
  }
}

}  // namespace warpmind::simulator
