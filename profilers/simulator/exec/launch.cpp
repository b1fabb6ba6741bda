#include "profilers/simulator/exec/launch.h"

#include "base/text.h"
#include "profilers/simulator/exec/block_runner.h"
#include "profilers/simulator/exec/launch_check.h"
#include "profilers/simulator/exec/launch_session.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace warpmind::simulator {
namespace {

/// Basic blocks that a warp runs before the next one gets its turn: warps that spin on a flag of
/// another must not spin for ever.
constexpr std::uint32_t kSlice = 1U << 14U;

/// The block at `position` of a sample with one block in each `stride`. The place within the stride
/// moves by the golden ratio: with a fixed one, a stride that is a multiple of the grid's width
/// would take every block from the grid's left edge.
std::uint64_t sampled_block(std::uint64_t position, std::uint64_t stride) {
  constexpr double kGolden = 0.6180339887498949;
  const double turn = static_cast<double>(position) * kGolden;
  const double share = turn - std::floor(turn);
  return position * stride + static_cast<std::uint64_t>(share * static_cast<double>(stride));
}

SharedChecks shared_checks(const LaunchOptions& options) {
  if (options.check_shared_races) return SharedChecks::races;
  return options.check_initialised ? SharedChecks::initialised : SharedChecks::none;
}

/// A launch that ran out of time is taken for one that does not end when the block at hand has run
/// so many basic blocks a warp, and so many times as many as the longest block that ended. A loop
/// of 131 072 turns in one block is rare, and mostly simulated in time.
constexpr std::uint64_t kEndless = 1U << 17U;
constexpr std::uint64_t kUnlikeTheOthers = 16;

/// How far a launch had come.
struct Progress {
  std::uint64_t ended = 0;  ///< blocks
  std::uint64_t wanted = 0;
  std::uint64_t steps = 0;    ///< basic blocks by warps in the block that ran last
  std::uint64_t longest = 0;  ///< likewise, most of a block that ended
};

/// Out of time: because it does not end, or because there is too much of it?
void conclude_time_limit(LaunchState& state, const Progress& progress, double seconds) {
  const std::uint64_t threads = std::uint64_t{state.block[0]} * state.block[1] * state.block[2];
  const std::uint64_t warps = (threads + kLanes - 1) / kLanes;
  const std::string place = std::exchange(state.end_reason, {});
  const std::string block = progress.ended == 0 ? "its first block" : "a block";
  const std::string steps = std::to_string(progress.steps / warps) + " basic blocks a warp";
  if (progress.steps / warps >= kEndless && progress.steps > kUnlikeTheOthers * progress.longest) {
    state.end = LaunchEnd::step_limit;
    state.end_reason = "kernel " + state.program->name + ": " + block + " had not ended after " +
                       steps + ", last at " + place +
                       ": look for an endless loop, or for a wait on another block";
    return;
  }
  state.end_reason = "the simulator got through " + std::to_string(progress.ended) + " of " +
                     std::to_string(progress.wanted) + " blocks of kernel " + state.program->name +
                     " in " + fixed(seconds, 1) + " s" +
                     (progress.ended == 0 ? ", and its first block through " + steps : "");
}

}  // namespace

Result<LaunchRecord> run_launch(const LaunchRequest& request, const LaunchOptions& options,
                                DeviceMemory& memory) {
  WARPMIND_CHECK(check_launch(request));
  LaunchSession session(request, options, memory, CacheGeometry{});
  BlockRunner runner(session.state(), session.counters(), session.flow(), shared_checks(options),
                     0);
  const std::uint64_t blocks = session.blocks();
  const bool sampled = options.block_limit > 0 && options.block_limit < blocks;
  const std::uint64_t wanted = sampled ? options.block_limit : blocks;
  const std::uint64_t stride = sampled ? blocks / options.block_limit : 1;
  std::uint64_t ran = 0;
  Progress progress;
  progress.wanted = wanted;
  std::uint64_t steps_before = 0;  // of the block that runs
  while (ran < wanted && session.going_on()) {
    progress.longest = std::max(progress.longest, session.state().steps - steps_before);
    steps_before = session.state().steps;
    const std::uint64_t position = options.reversed ? wanted - 1 - ran : ran;
    runner.start(sampled_block(position, stride));
    while (runner.step(kSlice, options.reversed)) {
    }
    ++ran;
    if (options.instruction_budget > 0 &&
        session.warp_instructions() > options.instruction_budget) {
      break;
    }
  }
  if (session.state().end == LaunchEnd::time_limit) {
    progress.ended = ran - 1;
    progress.steps = session.state().steps - steps_before;
    conclude_time_limit(session.state(), progress, options.seconds);
  }
  return session.record(ran);
}

}  // namespace warpmind::simulator
