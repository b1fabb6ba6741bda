#include "profilers/simulator/exec/block_runner.h"
#include "profilers/simulator/exec/block_sequence.h"
#include "profilers/simulator/exec/launch.h"
#include "profilers/simulator/exec/launch_check.h"
#include "profilers/simulator/exec/launch_session.h"

#include <algorithm>
#include <deque>

namespace warpmind::simulator {
namespace {

/// Basic blocks between two switches: short, so that the caches see blocks side by side.
constexpr std::uint32_t kSlice = 2;
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
      static_cast<double>(request.program.shared_bytes + request.dynamic_shared) * resident;
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
      if (!busy[i] || runners[i].step(kSlice, false)) continue;
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
