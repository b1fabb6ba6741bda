#include "profilers/simulator/exec/block_runner.h"

#include <algorithm>
#include <string>

namespace warpmind::simulator {
namespace {

/// Vector accesses at the very end of shared memory are checked before they are made; this keeps a
/// wrong check from leaving the buffer.
constexpr std::size_t kSharedSlack = 64;

/// So often all waits of a block end with "not yet" before that is a deadlock: a program may do
/// something useful between two tries.
constexpr std::uint32_t kMostFruitless = 1000;

/// So often a warp finds the same values, while the other warps of the block wait or do the same,
/// before that is a wait that nothing in the block ends.
constexpr std::uint64_t kMostPolls = 1U << 16U;

std::uint32_t threads_of(const Dim3& extents) { return extents[0] * extents[1] * extents[2]; }

}  // namespace

BlockRunner::BlockRunner(LaunchState& launch, std::vector<ProgramCounters>& counters,
                         FlowCounters& flow, SharedChecks checks, std::uint32_t sm)
    : launch_(&launch), async_(launch.program->shared_bytes + launch.shared_bytes) {
  block_.shared_bytes = launch.program->shared_bytes + launch.shared_bytes;
  shared_.resize(block_.shared_bytes + kSharedSlack);
  block_.shared = shared_.data();
  block_.sm = sm;
  if (checks != SharedChecks::none) {
    shadow_ = std::make_unique<SharedShadow>(block_.shared_bytes, checks == SharedChecks::races);
    block_.shadow = shadow_.get();
  }
  block_.async = &async_;
  if (checks == SharedChecks::races || launch.global_shadow != nullptr) {
    order_ = std::make_unique<BlockOrder>();
    block_.order = order_.get();
  }
  const std::uint32_t threads = threads_of(launch.block);
  block_.warps.resize((threads + kLanes - 1) / kLanes);
  for (std::uint32_t i = 0; i < block_.warps.size(); ++i) {
    Warp& warp = block_.warps[i];
    warp.block = &block_;
    warp.launch = &launch;
    warp.index = i;
    executors_.emplace_back(warp, counters, flow);
  }
}

void BlockRunner::start(std::uint64_t linear) {
  const Dim3& grid = launch_->grid;
  block_.linear = linear;
  block_.index = {static_cast<std::uint32_t>(linear % grid[0]),
                  static_cast<std::uint32_t>(linear / grid[0] % grid[1]),
                  static_cast<std::uint32_t>(linear / (std::uint64_t{grid[0]} * grid[1]))};
  if (shadow_) shadow_->start_block();
  async_.start_block();
  barriers_.reset();
  std::uint32_t left = threads_of(launch_->block);
  for (WarpExecutor& executor : executors_) {
    const Mask mask = left >= kLanes ? kAllLanes : (Mask{1} << left) - 1;
    executor.start(mask);
    left -= std::min<std::uint32_t>(left, kLanes);
  }
  if (order_) order_->start_block(block_);
  fruitless_ = 0;
  polls_ = 0;
  block_.watched = false;
}

bool BlockRunner::waits() const { return polls_ >= kMostPolls; }

/// After the warps had their turns, before a barrier opens.
void BlockRunner::count_polls() {
  std::uint32_t most = 0;
  bool gets_on = false;
  for (Warp& warp : block_.warps) {
    Polls& polls = warp.polls;
    const bool computes =
        warp.status == WarpStatus::ready && !warp.waits_for_phase && polls.repeats == 0;
    gets_on = gets_on || polls.gets_on || computes;
    most = std::max(most, polls.repeats);
    polls.gets_on = false;
    polls.repeats = 0;
  }
  polls_ = gets_on ? 0 : polls_ + most;
}

bool BlockRunner::step(std::uint32_t slice, bool reversed) {
  auto& warps = block_.warps;
  bool ran = false;
  for (std::size_t k = 0; k < warps.size(); ++k) {
    const std::size_t i = reversed ? warps.size() - 1 - k : k;
    if (warps[i].status != WarpStatus::ready) continue;
    const bool went_on = executors_[i].run_slice(slice);
    if (launch_->end != LaunchEnd::completed) return false;
    if (warps[i].status == WarpStatus::at_barrier) barriers_.arrive(warps[i]);
    ran = ran || went_on;
  }
  if (block_.watched) count_polls();
  if (barriers_.open(block_)) return true;
  bool ready = false;
  bool waiting = false;
  for (const Warp& warp : warps) {
    ready = ready || warp.status == WarpStatus::ready;
    waiting = waiting || warp.status == WarpStatus::at_barrier;
  }
  if (ready) return ran || give_up_waits();
  if (waiting && !ran) report_deadlock();
  return waiting && launch_->end == LaunchEnd::completed;
}

bool BlockRunner::give_up_waits() {
  if (block_.mbarrier_steps != last_steps_) fruitless_ = 0;
  last_steps_ = block_.mbarrier_steps;
  for (Warp& warp : block_.warps) {
    if (!warp.waits_for_phase) continue;
    warp.wait_gives_up = true;
    if (fruitless_ < kMostFruitless) continue;
    const Instruction& at = warp.program().code[static_cast<std::size_t>(warp.stack.back().pc)];
    const int line = warp.program().info[at.index].source_line;
    stop_launch(warp, LaunchEnd::deadlock,
                "deadlock in kernel " + launch_->program->name + ": warps wait at an mbarrier" +
                    (line > 0 ? " (line " + std::to_string(line) + ")" : std::string()) +
                    " for arrivals or bytes that never come");
    return false;
  }
  ++fruitless_;
  return true;
}

void BlockRunner::report_deadlock() {
  const auto stuck = std::find_if(block_.warps.begin(), block_.warps.end(), [](const Warp& warp) {
    return warp.status == WarpStatus::at_barrier;
  });
  const InstructionInfo& info = stuck->program().info[stuck->waiting_at->index];
  stop_launch(*stuck, LaunchEnd::deadlock,
              "deadlock in kernel " + launch_->program->name + ": warps wait at barrier " +
                  std::to_string(stuck->barrier) +
                  (info.source_line > 0 ? " (line " + std::to_string(info.source_line) + ")"
                                        : std::string()) +
                  " for threads that never come");
}

}  // namespace warpmind::simulator
