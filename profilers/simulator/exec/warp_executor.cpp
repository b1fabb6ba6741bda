#include "profilers/simulator/exec/warp_executor.h"

#include "profilers/simulator/checks/check_recorder.h"
#include "profilers/simulator/exec/builtins.h"

#include <bit>
#include <cstring>
#include <string>

namespace warpmind::simulator {
namespace {

constexpr std::uint32_t kBarriers = 16;

std::uint64_t population(Mask mask) { return static_cast<std::uint64_t>(std::popcount(mask)); }

/// Program counter of an index.
std::int32_t pc_of(std::uint32_t index) { return static_cast<std::int32_t>(index); }

std::string place(const Warp& warp, const Instruction& at) {
  const InstructionInfo& info = warp.program().info[at.index];
  return warp.program().name +
         (info.source_line > 0 ? " line " + std::to_string(info.source_line) : std::string());
}

/// How many basic blocks of warps pass between two looks at the clock: some milliseconds.
constexpr std::uint64_t kStepsBetweenLooks = 4096;

/// What a ready warp runs next.
const Instruction& next_of(const Warp& warp) {
  return warp.program().code[static_cast<std::size_t>(warp.stack.back().pc)];
}

}  // namespace

void stop_launch(Warp& warp, LaunchEnd end, std::string reason) {
  LaunchState& launch = *warp.launch;
  if (launch.end != LaunchEnd::completed) return;
  launch.end = end;
  launch.end_reason = std::move(reason);
}

void WarpExecutor::start(Mask lanes) {
  Warp& warp = *warp_;
  warp.stack.clear();
  warp.frames.clear();
  warp.live = lanes;
  warp.waits_for_phase = warp.wait_gives_up = false;
  warp.status = WarpStatus::ready;
  const Program& entry = *warp.launch->program;
  if (!frames_.push(entry, (*counters_)[entry.ordinal], nullptr, lanes)) {
    stop_launch(warp, LaunchEnd::stack_overflow,
                "kernel " + entry.name + " needs " + std::to_string(entry.local_bytes) +
                    " bytes of local memory a thread; at most " + std::to_string(kMostLocalBytes) +
                    " are simulated");
    warp.status = WarpStatus::done;
  }
}

bool WarpExecutor::settle() {
  Warp& warp = *warp_;
  while (true) {
    if (warp.stack.size() == warp.frames.back().first_entry) {
      if (warp.frames.size() == 1) return false;
      leave_frame();
      continue;
    }
    const StackEntry& top = warp.stack.back();
    if (top.mask != 0 && top.pc != top.reconvergence) return true;
    warp.stack.pop_back();
  }
}

bool WarpExecutor::run_slice(std::uint32_t slice) {
  Warp& warp = *warp_;
  LaunchState& launch = *warp.launch;
  bool went_on = !warp.waits_for_phase;
  while (warp.status == WarpStatus::ready && launch.end == LaunchEnd::completed) {
    if (!settle()) {
      warp.status = WarpStatus::done;
      return true;
    }
    if (slice-- == 0) return true;
    if (++launch.steps > launch.step_limit) {
      stop_launch(warp, LaunchEnd::step_limit,
                  "kernel " + launch.program->name + " ran " + std::to_string(launch.step_limit) +
                      " basic blocks and had not ended, last at " + place(warp, next_of(warp)) +
                      ": look for an endless loop, or raise the limit (CUDASIM_STEPS)");
      return true;
    }
    if (launch.steps % kStepsBetweenLooks == 0 &&
        std::chrono::steady_clock::now() >= launch.give_up) {
      stop_launch(warp, LaunchEnd::time_limit, place(warp, next_of(warp)));
      return true;
    }
    run_block(warp.stack.back());
    if (warp.waits_for_phase) return went_on;
    went_on = true;
  }
  return true;
}

void WarpExecutor::run_block(StackEntry& top) {
  Warp& warp = *warp_;
  const Frame& frame = warp.frames.back();
  const Program& program = *frame.program;
  ProgramCounters& counters = *frame.counters;
  const std::uint32_t index = program.block_of[static_cast<std::uint32_t>(top.pc)];
  const BasicBlock& block = program.blocks[index];
  const Mask mask = top.mask;
  const bool tries_again = warp.waits_for_phase;
  if (!tries_again) {
    ++counters.block_executions[index];
    counters.block_lanes[index] += population(mask);
    warp.launch->clock += block.end - block.begin;
  }
  if (program.reads_clock) frames_.refresh_clock();

  const Instruction* const code = program.code.data();
  const std::uint32_t last = block.end - 1;
  for (std::uint32_t pc = static_cast<std::uint32_t>(top.pc); pc <= last; ++pc) {
    const Instruction& instruction = code[pc];
    Mask active = mask;
    if (instruction.guard != kNoSlot) {
      active = guarded(warp, instruction, mask);
      if (!tries_again) {
        counters.guarded_executions[instruction.guard_counter] += active != 0 ? 1 : 0;
        counters.guarded_lanes[instruction.guard_counter] += population(active);
      }
    }
    if (pc == last && instruction.flow != Flow::next) {
      finish_block(instruction, block.end, mask, active);
      return;
    }
    if (active != 0) instruction.handler(warp, instruction, active);
  }
  warp.stack.back().pc = pc_of(block.end);
}

void WarpExecutor::finish_block(const Instruction& last, std::uint32_t next, Mask mask,
                                Mask taken) {
  StackEntry& top = warp_->stack.back();
  switch (last.flow) {
    case Flow::branch: branch(last, next, mask, taken); return;
    case Flow::branch_table:
      // A guarded table branch: lanes whose guard fails fall through.
      if (taken == mask) {
        branch_table(last, mask);
      } else {
        diverge(last.reconvergence, pc_of(next), mask & ~taken, pc_of(last.index), taken);
      }
      return;
    case Flow::exit:
      top.pc = pc_of(next);
      exit_lanes(taken);
      return;
    case Flow::ret:
      top.pc = pc_of(next);
      return_lanes(taken);
      return;
    case Flow::call:
      top.pc = pc_of(next);
      if (taken != 0) call(last, next, taken);
      return;
    case Flow::barrier:
      top.pc = pc_of(next);
      if (taken != 0) barrier(last, taken);
      return;
    case Flow::wait:
      if (taken != 0) last.handler(*warp_, last, taken);
      top.pc = pc_of(warp_->waits_for_phase ? last.index : next);
      return;
    case Flow::next: break;
  }
}

void WarpExecutor::branch(const Instruction& last, std::uint32_t next, Mask mask, Mask taken) {
  StackEntry& top = warp_->stack.back();
  ++flow_->branches;
  if (taken == mask) {
    top.pc = last.target;
  } else if (taken == 0) {
    top.pc = pc_of(next);
  } else {
    ++flow_->divergent_branches;
    diverge(last.reconvergence, pc_of(next), mask & ~taken, last.target, taken);
  }
}

void WarpExecutor::diverge(std::int32_t reconvergence, std::int32_t first, Mask first_lanes,
                           std::int32_t second, Mask second_lanes) {
  auto& stack = warp_->stack;
  // The entry itself waits where its lanes meet; one that would meet where it ends is not needed.
  if (reconvergence == stack.back().reconvergence || reconvergence < 0) {
    stack.pop_back();
  } else {
    stack.back().pc = reconvergence;
  }
  if (first != reconvergence) stack.push_back({first, reconvergence, first_lanes});
  if (second != reconvergence) stack.push_back({second, reconvergence, second_lanes});
}

void WarpExecutor::branch_table(const Instruction& last, Mask mask) {
  Warp& warp = *warp_;
  const auto& targets = warp.program().tables[static_cast<std::size_t>(last.target)];
  const auto* const index = lanes<std::uint32_t>(warp, last.a);
  ++flow_->branches;
  // One group of lanes at a time; the rest comes back to this instruction.
  const int leader = std::countr_zero(mask);
  Mask same = 0;
  for (int lane = leader; lane < kLanes; ++lane) {
    if ((mask >> lane & 1U) != 0 && index[lane] == index[leader]) same |= Mask{1} << lane;
  }
  if (index[leader] >= targets.size()) {
    stop_launch(warp, LaunchEnd::fault,
                "a branch table of " + std::to_string(targets.size()) + " targets is indexed by " +
                    std::to_string(index[leader]) + " in " + place(warp, last));
    return;
  }
  const std::int32_t target = targets[index[leader]];
  if (same == mask) {
    warp.stack.back().pc = target;
    return;
  }
  ++flow_->divergent_branches;
  diverge(last.reconvergence, pc_of(last.index), mask & ~same, target, same);
}

void WarpExecutor::call(const Instruction& last, std::uint32_t next, Mask mask) {
  Warp& warp = *warp_;
  const LaunchState& launch = *warp.launch;
  const CallSite& site = warp.program().calls[static_cast<std::size_t>(last.target)];
  if (!site.builtin.empty()) {
    run_builtin(warp, last, site, mask);
    return;
  }
  std::uint32_t callee = site.callee;
  if (site.target != kNoSlot) {
    const auto* const address = lanes<std::uint64_t>(warp, site.target);
    const std::uint64_t first = address[std::countr_zero(mask)];
    Mask same = 0;
    for (int lane = 0; lane < kLanes; ++lane) {
      if ((mask >> lane & 1U) != 0 && address[lane] == first) same |= Mask{1} << lane;
    }
    if (same != mask) {  // the other lanes call after these
      warp.stack.push_back({pc_of(last.index), pc_of(next), mask & ~same});
      mask = same;
    }
    callee = static_cast<std::uint32_t>((first - kFunctionAddresses) / 16);
    if (first < kFunctionAddresses || callee >= launch.module->programs.size()) {
      stop_launch(warp, LaunchEnd::fault,
                  "an indirect call goes to no function in " + place(warp, last));
      return;
    }
  }
  const Program& program = *launch.module->programs[callee];
  if (!program.unsupported.empty()) {
    stop_launch(warp, LaunchEnd::unsupported,
                "function " + program.name + " cannot run: " + program.unsupported);
    return;
  }
  const std::uint32_t caller_base = warp.frames.back().local_base;
  if (!frames_.push(program, (*counters_)[callee], &site, mask)) {
    stop_launch(warp, LaunchEnd::stack_overflow,
                "stack overflow: the call of " + program.name + " in " + place(warp, last) +
                    ", kernel " + launch.program->name + ", is number " +
                    std::to_string(warp.frames.size()) + " within each other; at most " +
                    std::to_string(kMostFrames) + " deep and " + std::to_string(kMostLocalBytes) +
                    " bytes of local memory are simulated: is the recursion endless?");
    return;
  }
  const std::uint32_t base = warp.frames.back().local_base;
  for (const CallSite::Copy& copy : site.arguments) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if ((mask >> lane & 1U) == 0) continue;
      std::byte* const own = warp.local + lane * warp.local_stride;
      std::memcpy(own + base + copy.callee, own + caller_base + copy.caller, copy.bytes);
    }
  }
}

void WarpExecutor::leave_frame() {
  Warp& warp = *warp_;
  const Frame frame = warp.frames.back();
  frames_.pop();
  const std::uint32_t caller_base = warp.frames.back().local_base;
  const Mask returned = frame.callers & warp.live;
  for (const CallSite::Copy& copy : frame.call->results) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      if ((returned >> lane & 1U) == 0) continue;
      std::byte* const own = warp.local + lane * warp.local_stride;
      std::memcpy(own + caller_base + copy.caller, own + frame.local_base + copy.callee,
                  copy.bytes);
    }
  }
}

void WarpExecutor::return_lanes(Mask lanes) {
  Warp& warp = *warp_;
  const Frame& frame = warp.frames.back();
  for (std::size_t i = frame.first_entry; i < warp.stack.size(); ++i) warp.stack[i].mask &= ~lanes;
  if (warp.frames.size() == 1) warp.live &= ~lanes;
}

void WarpExecutor::exit_lanes(Mask lanes) {
  for (StackEntry& entry : warp_->stack) entry.mask &= ~lanes;
  warp_->live &= ~lanes;
}

void WarpExecutor::barrier(const Instruction& last, Mask active) {
  Warp& warp = *warp_;
  ++flow_->barriers;
  const int leader = std::countr_zero(active);
  warp.barrier = last.a == kNoSlot ? static_cast<std::uint32_t>(last.immediate)
                                   : lanes<std::uint32_t>(warp, last.a)[leader];
  warp.barrier_expected = last.b == kNoSlot ? 0 : lanes<std::uint32_t>(warp, last.b)[leader];
  warp.waiting_at = &last;
  warp.waiting_lanes = active;
  if (warp.barrier >= kBarriers) {
    stop_launch(warp, LaunchEnd::fault,
                "barrier " + std::to_string(warp.barrier) + " in " + place(warp, last) +
                    ": a block has barriers 0 to 15");
    return;
  }
  if (active != warp.live) {
    warp.launch->checks->report(CheckKind::divergent_barrier, warp, last, leader, 0, [&] {
      return std::to_string(std::popcount(active)) + " of the warp's " +
             std::to_string(std::popcount(warp.live)) + " running threads are at the barrier";
    });
  }
  warp.status = WarpStatus::at_barrier;
}

}  // namespace warpmind::simulator
