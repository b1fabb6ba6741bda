#include "profilers/simulator/exec/launch_session.h"

#include <algorithm>
#include <atomic>
#include <ctime>

namespace warpmind::simulator {
namespace {

/// Numbers launches, so that shadows tell one from the next.
std::atomic<std::uint32_t> launches = 0;

double cpu_seconds() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

ProgramCounters empty_counters(const Program& program) {
  ProgramCounters counters;
  counters.block_executions.assign(program.blocks.size(), 0);
  counters.block_lanes.assign(program.blocks.size(), 0);
  counters.guarded_executions.assign(program.guarded, 0);
  counters.guarded_lanes.assign(program.guarded, 0);
  return counters;
}

}  // namespace

LaunchSession::LaunchSession(const LaunchRequest& request, const LaunchOptions& options,
                             DeviceMemory& memory, const CacheGeometry& caches)
    : started_(cpu_seconds()) {
  static_cast<SimulatedShape&>(state_) = static_cast<const SimulatedShape&>(request);
  state_.module = &request.module;
  state_.program = &request.program;
  state_.id = ++launches;
  state_.parameters.assign(request.parameters.begin(), request.parameters.end());
  state_.memory = &memory;
  state_.checks = &checks_;
  state_.check_initialised = options.check_initialised;
  state_.step_limit = options.step_limit;
  if (options.seconds > 0) {
    state_.give_up = std::chrono::steady_clock::now() +
                     std::chrono::microseconds(static_cast<std::int64_t>(options.seconds * 1e6));
  }
  state_.last_allocation.assign(request.module.accesses, {1, 0});
  if (options.check_global_races) {
    global_shadow_ = std::make_unique<GlobalShadow>(memory);
    state_.global_shadow = global_shadow_.get();
  }
  if (options.count_accesses) {
    profiler_ = std::make_unique<AccessProfiler>(request.module.accesses, caches);
    state_.profiler = profiler_.get();
  }
  for (const auto& program : request.module.programs) {
    counters_.push_back(empty_counters(*program));
  }
}

std::uint64_t LaunchSession::blocks() const {
  return std::uint64_t{state_.grid[0]} * state_.grid[1] * state_.grid[2];
}

std::uint64_t LaunchSession::warp_instructions() const {
  std::uint64_t total = 0;
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const auto& blocks = state_.module->programs[i]->blocks;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      total += counters_[i].block_executions[b] * (blocks[b].end - blocks[b].begin);
    }
  }
  return total;
}

void LaunchSession::reset_counters() {
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    counters_[i] = empty_counters(*state_.module->programs[i]);
  }
  flow_ = {};
  if (profiler_) profiler_->reset();
}

void LaunchSession::add_instructions(const Program& program, LaunchRecord& record) const {
  const ProgramCounters& counters = counters_[program.ordinal];
  for (std::size_t pc = 0; pc < program.code.size(); ++pc) {
    const Instruction& instruction = program.code[pc];
    const InstructionInfo& info = program.info[pc];
    const std::uint32_t block = program.block_of[pc];
    if (counters.block_executions[block] == 0) continue;
    InstructionRecord one;
    static_cast<StaticInstruction&>(one) = static_cast<const StaticInstruction&>(info);
    one.executions = counters.block_executions[block];
    one.lanes = counters.block_lanes[block];
    if (instruction.guard_counter != kNoIndex) {
      one.executions = counters.guarded_executions[instruction.guard_counter];
      one.lanes = counters.guarded_lanes[instruction.guard_counter];
    }
    one.space = instruction.space;
    one.is_store = instruction.is_store;
    if (instruction.access != kNoIndex) {
      one.is_memory = true;
      one.access = profiler_->counters()[instruction.access];
    }
    record.instructions.push_back(std::move(one));
  }
}

LaunchRecord LaunchSession::record(std::uint64_t blocks_run) const {
  LaunchRecord record;
  record.kernel = state_.program->name;
  record.grid = state_.grid;
  record.block = state_.block;
  record.static_shared = state_.program->shared_bytes;
  record.dynamic_shared = state_.shared_bytes;
  record.blocks = blocks();
  record.blocks_run = blocks_run;
  record.warp_instructions = warp_instructions();
  for (std::size_t i = 0; i < counters_.size(); ++i) {
    const Program& program = *state_.module->programs[i];
    for (std::size_t b = 0; b < program.blocks.size(); ++b) {
      record.thread_instructions +=
          counters_[i].block_lanes[b] * (program.blocks[b].end - program.blocks[b].begin);
    }
    if (profiler_) add_instructions(program, record);
  }
  record.branches = flow_.branches;
  record.divergent_branches = flow_.divergent_branches;
  record.barriers = flow_.barriers;
  record.end = state_.end;
  record.end_reason = state_.end_reason;
  record.checks = checks_.entries();
  record.late_reads.assign(state_.late_reads.begin(), state_.late_reads.end());
  record.seconds = cpu_seconds() - started_;
  return record;
}

}  // namespace warpmind::simulator
