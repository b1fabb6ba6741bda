#pragma once
/// \file
/// What handlers see of the machine: a warp, its block, and the launch they belong to.

#include "profilers/simulator/program/program.h"
#include "profilers/simulator/program/simulated_shape.h"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::simulator {

class DeviceMemory;
class CheckRecorder;
class SharedShadow;
class GlobalShadow;
class AccessProfiler;
class AsyncCopies;
class BlockOrder;
struct BlockState;
struct LaunchState;

/// Lanes that run together from `pc` until `reconvergence` (a pc; -1 = the function's end).
struct StackEntry {
  std::int32_t pc = 0;
  std::int32_t reconvergence = -1;
  Mask mask = 0;
};

/// How often the parts of one program ran in a launch.
struct ProgramCounters {
  std::vector<std::uint64_t> block_executions;  ///< by basic block, counted in warps
  std::vector<std::uint64_t> block_lanes;
  std::vector<std::uint64_t> guarded_executions;  ///< by Instruction::guard_counter
  std::vector<std::uint64_t> guarded_lanes;
};

/// One activation of a function by some lanes of a warp.
struct Frame {
  const Program* program = nullptr;
  ProgramCounters* counters = nullptr;
  std::byte* registers = nullptr;  ///< 64-byte aligned, owned by the warp's frame store
  std::uint32_t local_base = 0;    ///< where the frame begins in each lane's local memory
  std::size_t first_entry = 0;     ///< of the SIMT stack
  const CallSite* call = nullptr;  ///< how it was called; null for the kernel
  Mask callers = 0;                ///< lanes that made the call
};

/// What a warp of a watched block reads (memory/wait_watch.h).
struct Polls {
  std::vector<std::uint64_t> seen;  ///< by Instruction::access: digest of the last read
  std::uint32_t repeats = 0;        ///< reads that found what they had found before
  bool gets_on = false;             ///< it did something else with memory
};

enum class WarpStatus : std::uint8_t { ready, at_barrier, done };

struct Warp {
  std::byte* registers = nullptr;  ///< of the current frame: handlers need it most
  BlockState* block = nullptr;
  LaunchState* launch = nullptr;
  std::uint32_t index = 0;  ///< in the block
  Mask live = 0;            ///< lanes that have not left the kernel
  WarpStatus status = WarpStatus::ready;
  std::uint32_t barrier = 0;                ///< id it waits at
  std::uint32_t barrier_expected = 0;       ///< threads that must arrive; 0 = all of the block
  const Instruction* waiting_at = nullptr;  ///< the barrier instruction
  Mask waiting_lanes = 0;                   ///< that arrived there
  std::uint32_t stamp = 0;  ///< of the block's clock at the warp's last synchronising operation
  std::uint32_t floor = 0;  ///< what its lanes did before it is ordered among them
  bool is_uneven = false;   ///< its lanes know different things (BlockOrder)
  /// At an mbarrier whose phase is not complete: the instruction is tried again.
  bool waits_for_phase = false;
  bool wait_gives_up = false;  ///< the next try returns false, as after a time limit
  /// Local memory of lane i: local + i * local_stride. Direct accesses ([symbol+4], address_bytes
  /// 0) count from the frame's local_base; addresses in registers from the lane's begin.
  std::byte* local = nullptr;
  std::uint32_t local_stride = 0;
  Mask carry = 0;  ///< condition code CC.CF, a bit a lane: add.cc sets it, addc reads it
  std::vector<StackEntry> stack;
  std::vector<Frame> frames;
  Polls polls;

  [[nodiscard]] const Program& program() const { return *frames.back().program; }
};

/// Register `slot` of the current frame as 32 lanes of T (predicates: one Mask).
template <class T>
[[nodiscard]] inline T* lanes(Warp& warp, Slot slot) {
  return reinterpret_cast<T*>(warp.registers + slot);
}
[[nodiscard]] inline Mask& predicate(Warp& warp, Slot slot) { return *lanes<Mask>(warp, slot); }

/// One block (CTA) while it runs.
struct BlockState {
  std::uint64_t linear = 0;  ///< x fastest
  Dim3 index{};
  std::byte* shared = nullptr;  ///< static, then dynamic shared memory
  std::uint32_t shared_bytes = 0;
  std::uint32_t live_warps = 0;
  std::uint32_t clock = 1;           ///< counts synchronising operations, on from block to block
  std::uint32_t first_clock = 0;     ///< when this block began
  std::uint32_t floor = 0;           ///< of the last barrier of all warps
  std::uint64_t mbarrier_steps = 0;  ///< arrivals, and waits that ended
  std::uint32_t sm = 0;              ///< wave mode: which L1 it uses
  SharedShadow* shadow = nullptr;    ///< null = shared memory is not checked
  AsyncCopies* async = nullptr;      ///< asynchronous copies in flight; never null
  BlockOrder* order = nullptr;       ///< null = races are not checked
  bool watched = false;              ///< its reads tell whether it waits
  std::vector<Warp> warps;
};

/// Why a launch ended before its last block.
enum class LaunchEnd : std::uint8_t {
  completed,
  fault,       ///< out of bounds, misaligned, use after free, trap: as the machine would
  step_limit,  ///< an endless loop, or a kernel too long for the limit
  stack_overflow,
  deadlock,     ///< warps wait at barriers that can never open
  unsupported,  ///< a function called has an instruction that the simulator does not know
  time_limit,   ///< the simulator was slow: every block did its part
};

/// Shared by all blocks of a launch.
struct LaunchState : SimulatedShape {
  const CompiledModule* module = nullptr;
  const Program* program = nullptr;
  bool tells_waits = false;  ///< the next read of what was read before ends the launch
  std::uint32_t id = 0;      ///< counts launches of the process, from 1
  std::vector<std::byte> parameters;
  DeviceMemory* memory = nullptr;
  CheckRecorder* checks = nullptr;        ///< never null
  GlobalShadow* global_shadow = nullptr;  ///< null = no race check on global memory
  AccessProfiler* profiler = nullptr;     ///< null = accesses are not counted
  bool check_initialised = false;
  /// By Instruction::access: the range of the allocation that the instruction last hit, so that a
  /// whole warp is checked with two comparisons. [first, last) in device addresses.
  std::vector<std::pair<std::uint64_t, std::uint64_t>> last_allocation;
  std::set<int> late_reads;  ///< source lines, as LaunchRecord has them
  std::uint64_t steps = 0;   ///< basic blocks run by warps
  std::uint64_t step_limit = 0;
  std::chrono::steady_clock::time_point give_up = std::chrono::steady_clock::time_point::max();
  LaunchEnd end = LaunchEnd::completed;
  std::string end_reason;   ///< one sentence when not completed
  std::uint64_t clock = 0;  ///< what %clock reads: one more a warp instruction, all warps
};

/// Ends the launch as the machine's error would; the first reason stays.
void stop_launch(Warp& warp, LaunchEnd end, std::string reason);

}  // namespace warpmind::simulator
