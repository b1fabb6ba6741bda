#include "profilers/simulator/exec/launch.h"

#include "base/text.h"
#include "profilers/simulator/exec/block_runner.h"
#include "profilers/simulator/exec/block_sequence.h"
#include "profilers/simulator/exec/launch_check.h"
#include "profilers/simulator/exec/launch_session.h"

#include <algorithm>
#include <deque>
#include <utility>
#include <vector>

namespace warpmind::simulator {
namespace {

/// Basic blocks that a warp runs before the next one gets its turn: warps that spin on a flag of
/// another must not spin for ever.
constexpr std::uint32_t kSlice = 1U << 14U;
/// Basic blocks of a warp after which its block is watched for waiting.
constexpr std::uint64_t kUnwatched = 1U << 14U;
/// Basic blocks that a warp of a cooperative launch runs before the next block gets its turn, and
/// those where it only reads what another block has to change: turns of waiting cost the machine
/// little, so they must not count for much.
constexpr std::uint32_t kTurn = 256;
constexpr std::uint32_t kPollingTurn = 8;

/// One block whose stores can be put back when it turns out that it read what nobody wrote.
class RevocableBlock {
 public:
  RevocableBlock(LaunchSession& session, DeviceMemory& memory, bool revocable)
      : session_(session), memory_(memory), revocable_(revocable) {
    if (!revocable_) return;
    reads_ = session_.unwritten_reads();
    memory_.begin_undoable();
  }
  ~RevocableBlock() {
    if (!revocable_) return;
    if (session_.unwritten_reads() > reads_) {
      memory_.undo();
    } else {
      memory_.keep();
    }
  }
  RevocableBlock(const RevocableBlock&) = delete;
  RevocableBlock& operator=(const RevocableBlock&) = delete;

 private:
  LaunchSession& session_;
  DeviceMemory& memory_;
  bool revocable_;
  std::uint64_t reads_ = 0;
};

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

std::uint64_t warps_of(const LaunchState& state) {
  const std::uint64_t threads = std::uint64_t{state.block[0]} * state.block[1] * state.block[2];
  return (threads + kLanes - 1) / kLanes;
}

/// Out of time: because it does not end, or because there is too much of it?
void conclude_time_limit(LaunchState& state, const Progress& progress, double seconds) {
  const std::uint64_t warps = warps_of(state);
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

double busiest_block(const LaunchState& state, const Progress& progress, std::uint64_t ran) {
  if (ran == 0 || state.steps == 0) return 1;
  return static_cast<double>(std::max(progress.longest, progress.steps)) *
         static_cast<double>(ran) / static_cast<double>(state.steps);
}

/// Returns how many blocks began.
std::uint64_t run_in_sequence(LaunchSession& session, const LaunchRequest& request,
                              const LaunchOptions& options, DeviceMemory& memory,
                              Progress& progress) {
  LaunchState& state = session.state();
  BlockRunner runner(state, session.counters(), session.flow(), shared_checks(options), 0);
  const BlockSequence order(request, options);
  const std::uint64_t watched_from = kUnwatched * warps_of(state);
  std::uint64_t ran = 0;
  progress.wanted = order.size();
  std::uint64_t steps_before = 0;  // of the block that runs
  while (ran < order.size() && session.going_on()) {
    progress.longest = std::max(progress.longest, state.steps - steps_before);
    steps_before = state.steps;
    const RevocableBlock block(session, memory, options.written_blocks_only);
    runner.start(order(ran));
    while (runner.step(kSlice, options.reversed)) {
      if (state.steps - steps_before > watched_from) runner.watch();
      // All blocks that have started but this one have ended.
      state.tells_waits = runner.waits();
    }
    ++ran;
    if (options.instruction_budget > 0 &&
        session.warp_instructions() > options.instruction_budget) {
      break;
    }
  }
  progress.ended = ran - 1;
  progress.steps = state.steps - steps_before;
  return ran;
}

/// Returns how many blocks ended.
std::uint64_t run_side_by_side(LaunchSession& session, const LaunchOptions& options,
                               Progress& progress) {
  LaunchState& state = session.state();
  std::deque<BlockRunner> runners;
  progress.wanted = session.blocks();
  for (std::uint64_t i = 0; i < progress.wanted; ++i) {
    runners.emplace_back(state, session.counters(), session.flow(), shared_checks(options), 0);
    runners.back().start(options.reversed ? progress.wanted - 1 - i : i);
    runners.back().watch();
  }
  std::vector<bool> has_ended(runners.size(), false);
  while (progress.ended < progress.wanted && session.going_on()) {
    bool all_wait = true;
    for (std::size_t i = 0; i < runners.size() && session.going_on(); ++i) {
      if (has_ended[i]) continue;
      BlockRunner& runner = runners[i];
      has_ended[i] = !runner.step(runner.polls() ? kPollingTurn : kTurn, options.reversed);
      all_wait = all_wait && !has_ended[i] && runner.waits();
      if (has_ended[i] && session.going_on()) ++progress.ended;
    }
    state.tells_waits = all_wait;
  }
  progress.steps = state.steps;
  return progress.ended;
}

}  // namespace

Result<LaunchRecord> run_launch(const LaunchRequest& request, const LaunchOptions& options,
                                DeviceMemory& memory) {
  WARPMIND_CHECK(check_launch(request));
  LaunchSession session(request, options, memory, CacheGeometry{});
  Progress progress;
  const std::uint64_t ran = request.cooperative
                                ? run_side_by_side(session, options, progress)
                                : run_in_sequence(session, request, options, memory, progress);
  if (session.state().end == LaunchEnd::time_limit) {
    conclude_time_limit(session.state(), progress, options.seconds);
  }
  LaunchRecord record = session.record(ran);
  if (!request.cooperative) record.busiest_block = busiest_block(session.state(), progress, ran);
  return record;
}

}  // namespace warpmind::simulator
