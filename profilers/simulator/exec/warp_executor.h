#pragma once
/// \file
/// Runs a warp through its basic blocks: divergence, calls, barriers.

#include "profilers/simulator/exec/frame_store.h"
#include "profilers/simulator/exec/warp.h"

#include <cstdint>
#include <vector>

namespace warpmind::simulator {

/// Counters of control flow, summed over the warps of a launch.
struct FlowCounters {
  std::uint64_t branches = 0;
  std::uint64_t divergent_branches = 0;
  std::uint64_t barriers = 0;
};

/// One warp's way through the kernel. Lanes of a warp run in lockstep; diverged lanes wait at the
/// immediate post-dominator of their branch.
class WarpExecutor {
 public:
  /// References outlive the executor. `counters` has one entry a program of the module.
  WarpExecutor(Warp& warp, std::vector<ProgramCounters>& counters, FlowCounters& flow)
      : warp_(&warp), counters_(&counters), flow_(&flow), frames_(warp) {}

  /// Puts the warp at the kernel's entry with `lanes`.
  void start(Mask lanes);

  /// Runs until a barrier, an mbarrier whose phase is not complete, the end, or `slice` basic
  /// blocks; sets warp.status. False when the warp still waits where it waited before.
  bool run_slice(std::uint32_t slice);

 private:
  /// Drops finished entries and frames. False when the warp is done.
  bool settle();
  void run_block(StackEntry& top);
  void finish_block(const Instruction& last, std::uint32_t next, Mask mask, Mask taken);
  void branch(const Instruction& last, std::uint32_t next, Mask mask, Mask taken);
  void branch_table(const Instruction& last, Mask mask);
  void diverge(std::int32_t reconvergence, std::int32_t first, Mask first_lanes,
               std::int32_t second, Mask second_lanes);
  void call(const Instruction& last, std::uint32_t next, Mask mask);
  void return_lanes(Mask lanes);
  void exit_lanes(Mask lanes);
  void barrier(const Instruction& last, Mask lanes);
  void leave_frame();

  Warp* warp_;
  std::vector<ProgramCounters>* counters_;
  FlowCounters* flow_;
  FrameStore frames_;
};

/// Lanes of `active` for which the guard of `instruction` holds.
[[nodiscard]] inline Mask guarded(Warp& warp, const Instruction& instruction, Mask active) {
  if (instruction.guard == kNoSlot) return active;
  const Mask value = predicate(warp, instruction.guard);
  return active & (instruction.guard_negated ? ~value : value);
}

}  // namespace warpmind::simulator
