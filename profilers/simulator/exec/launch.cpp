#include "profilers/simulator/exec/launch.h"

#include "base/text.h"
#include "profilers/simulator/exec/block_runner.h"
#include "profilers/simulator/exec/block_sequence.h"
#include "profilers/simulator/exec/launch_session.h"

#include <algorithm>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::simulator {
namespace {

// CUDA C++ programming guide, table "Technical Specifications per Compute Capability".
constexpr std::uint64_t kMostThreads = 1024;
constexpr std::uint32_t kMostBlockZ = 64;
constexpr std::uint32_t kMostGridX = 0x7fffffff;
constexpr std::uint32_t kMostGridYZ = 65535;

std::uint64_t volume(const Dim3& extents) {
  return std::uint64_t{extents[0]} * extents[1] * extents[2];
}

std::string shape(const Dim3& extents) {
  return std::to_string(extents[0]) + "x" + std::to_string(extents[1]) + "x" +
         std::to_string(extents[2]);
}

Result<void> check_block(const LaunchRequest& request) {
  const Dim3& block = request.block;
  const Program& program = request.program;
  const std::uint64_t threads = volume(block);
  const bool fits = threads > 0 && threads <= kMostThreads && block[2] <= kMostBlockZ;
  if (!fits || block[0] > kMostThreads || block[1] > kMostThreads) {
    return fail(Errc::invalid_argument, "kernel " + program.name + ": a block of " + shape(block) +
                                            " threads; at most 1024 in all, and 64 along z");
  }
  if (program.most_threads > 0 && threads > program.most_threads) {
    return fail(Errc::invalid_argument, "kernel " + program.name + ": a block of " +
                                            std::to_string(threads) +
                                            " threads exceeds its __launch_bounds__ of " +
                                            std::to_string(program.most_threads));
  }
  return {};
}

}  // namespace

Result<void> check_launch(const LaunchRequest& request) {
  const Program& program = request.program;
  if (!program.unsupported.empty()) {
    return fail(Errc::invalid_argument,
                "kernel " + program.name + " cannot run in the simulator: " + program.unsupported);
  }
  if (!program.is_entry) {
    return fail(Errc::invalid_argument, program.name + " is a device function, not a kernel");
  }
  WARPMIND_CHECK(check_block(request));
  const Dim3& grid = request.grid;
  if (volume(grid) == 0 || grid[0] > kMostGridX || grid[1] > kMostGridYZ || grid[2] > kMostGridYZ) {
    return fail(Errc::invalid_argument,
                "kernel " + program.name + ": a grid of " + shape(grid) +
                    " blocks; at most 2147483647 along x, 65535 along y and z, and none is zero");
  }
  if (request.parameters.size() < program.parameter_bytes) {
    return fail(Errc::invalid_argument,
                "kernel " + program.name + " takes " + std::to_string(program.parameter_bytes) +
                    " bytes of parameters; " + std::to_string(request.parameters.size()) +
                    " were given");
  }
  return {};
}

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

namespace {

/// Basic blocks between two switches: short, so that the caches see blocks side by side.
constexpr std::uint32_t kWaveSlice = 2;
/// Registers of all resident warps may take so much; beyond it fewer multiprocessors are simulated,
/// with a share of the L2.
constexpr std::uint64_t kMostRegisterBytes = std::uint64_t{768} << 20U;
/// So many times the budget where blocks are long, to see them end.
constexpr std::uint64_t kLongBlocks = 2;
constexpr double kKib = 1024;
constexpr double kMib = 1024 * 1024;

std::uint32_t multiprocessors_for(const LaunchRequest& request, const DeviceSpec& device,
                                  std::uint32_t resident, std::uint64_t blocks) {
  const std::uint64_t threads =
      std::uint64_t{request.block[0]} * request.block[1] * request.block[2];
  const std::uint64_t warps = (threads + kLanes - 1) / kLanes;
  const std::uint64_t bytes = warps * request.program.register_bytes * resident;
  const std::uint64_t fitting = std::max<std::uint64_t>(1, kMostRegisterBytes / (bytes + 1));
  const auto all = static_cast<std::uint64_t>(std::max(1, device.sm_count));
  return static_cast<std::uint32_t>(std::min({all, fitting, blocks}));
}

CacheGeometry caches_of(const LaunchRequest& request, const DeviceSpec& device,
                        std::uint32_t multiprocessors, std::uint32_t resident) {
  CacheGeometry caches;
  caches.multiprocessors = multiprocessors;
  const double shared =
      static_cast<double>(request.program.shared_bytes + request.shared_bytes) * resident;
  constexpr double kLeastL1 = 16 * kKib;
  caches.l1_bytes =
      static_cast<std::uint64_t>(std::max(kLeastL1, device.timing.l1_kib * kKib - shared));
  const double share = static_cast<double>(multiprocessors) / std::max(1, device.sm_count);
  caches.l2_bytes = static_cast<std::uint64_t>(device.l2_mib * kMib * std::min(1.0, share));
  return caches;
}

/// The blocks in flight, each on a place of its own.
struct Places {
  std::deque<BlockRunner> runners;
  std::vector<bool> busy;
  std::uint64_t next = 0;    ///< blocks taken so far
  std::uint64_t first = 0;   ///< block, which a kernel cannot know
  std::uint64_t blocks = 0;  ///< of the grid
  std::size_t running = 0;

  void fill() {
    for (std::size_t i = 0; i < runners.size() && next < blocks; ++i) {
      if (busy[i]) continue;
      runners[i].start((first + next++) % blocks);
      busy[i] = true;
      ++running;
    }
  }
  /// One slice each. A place that becomes free takes the next block.
  void turn(const LaunchSession& session) {
    for (std::size_t i = 0; i < runners.size() && session.going_on(); ++i) {
      if (!busy[i] || runners[i].step(kWaveSlice, false)) continue;
      busy[i] = false;
      --running;
    }
    fill();
  }
};

/// Blocks of a wave run once more afterwards: what they add or overwrite must not stay.
class UndoAtEnd {
 public:
  explicit UndoAtEnd(DeviceMemory& memory) : memory_(memory) { memory_.begin_undoable(); }
  ~UndoAtEnd() { memory_.undo(); }
  UndoAtEnd(const UndoAtEnd&) = delete;
  UndoAtEnd& operator=(const UndoAtEnd&) = delete;

 private:
  DeviceMemory& memory_;
};

}  // namespace

Result<LaunchRecord> run_wave(const LaunchRequest& request, const DeviceSpec& device,
                              std::uint32_t resident, std::uint64_t instruction_budget,
                              DeviceMemory& memory, std::uint64_t seed) {
  WARPMIND_CHECK(check_launch(request));
  LaunchOptions options;
  options.check_initialised = false;
  options.check_global_races = false;
  resident = std::max<std::uint32_t>(1, resident);
  const std::uint64_t blocks = std::uint64_t{request.grid[0]} * request.grid[1] * request.grid[2];
  const std::uint32_t multiprocessors = multiprocessors_for(request, device, resident, blocks);
  LaunchSession session(request, options, memory,
                        caches_of(request, device, multiprocessors, resident));
  Places places;
  places.blocks = blocks;
  places.first = seed == 0 ? 0 : mixed_bits(seed, blocks) % blocks;
  const std::uint64_t count =
      std::min<std::uint64_t>(std::uint64_t{multiprocessors} * resident, blocks);
  for (std::uint64_t i = 0; i < count; ++i) {
    places.runners.emplace_back(session.state(), session.counters(), session.flow(),
                                SharedChecks::none,
                                static_cast<std::uint32_t>(i % multiprocessors));
  }
  places.busy.assign(places.runners.size(), false);
  const UndoAtEnd undo(memory);
  places.fill();
  bool warm = false;
  while (places.running > 0 && session.going_on()) {
    places.turn(session);
    const std::uint64_t done = session.warp_instructions();
    // Blocks run side by side: before the first ones have ended, a part of the run is a part of
    // every block, and what it leaves out (first reads, last writes) would be missing altogether.
    // Such a kernel, and one that ends soon, is counted from its first instruction.
    const bool has_whole_blocks = places.next >= 2 * count;
    const bool is_warm_up = done > instruction_budget / 4 && done < instruction_budget / 2;
    if (!warm && is_warm_up && has_whole_blocks && places.next < places.blocks) {
      session.reset_counters();
      warm = true;
    }
    if (done > instruction_budget * (has_whole_blocks ? 1 : kLongBlocks)) break;
  }
  LaunchRecord record = session.record(places.next);
  record.wave = true;
  return record;
}

}  // namespace warpmind::simulator
