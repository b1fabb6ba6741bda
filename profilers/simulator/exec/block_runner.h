#pragma once
/// \file
/// Runs one block after the other on the same warps, registers and shared memory.

#include "profilers/simulator/checks/async_copies.h"
#include "profilers/simulator/checks/block_order.h"
#include "profilers/simulator/checks/shared_shadow.h"
#include "profilers/simulator/exec/barriers.h"
#include "profilers/simulator/exec/warp_executor.h"

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace warpmind::simulator {

/// What is looked at in shared memory, beside bounds.
enum class SharedChecks : std::uint8_t { none, initialised, races };

/// A resident block: a place on a multiprocessor that blocks pass through.
class BlockRunner {
 public:
  /// References outlive the runner. `sm` is the multiprocessor whose L1 it uses.
  BlockRunner(LaunchState& launch, std::vector<ProgramCounters>& counters, FlowCounters& flow,
              SharedChecks checks, std::uint32_t sm);
  ~BlockRunner() = default;
  BlockRunner(const BlockRunner&) = delete;
  BlockRunner& operator=(const BlockRunner&) = delete;

  /// Begins block `linear` (x fastest). The block before must have ended.
  void start(std::uint64_t linear);

  /// Lets every warp that can run go on for at most `slice` basic blocks. `reversed` takes the
  /// warps from the last. False when the block has ended.
  bool step(std::uint32_t slice, bool reversed);

  /// From now on it is known whether the block waits: costs time. start() ends it.
  void watch() { block_.watched = true; }
  /// All that it did lately was to read what does not change.
  [[nodiscard]] bool polls() const { return polls_ > 0; }
  /// The same, for so long that it will not get on by itself.
  [[nodiscard]] bool waits() const;

 private:
  void count_polls();
  void report_deadlock();
  /// All warps wait, some for phases of mbarriers: those hear that theirs is not complete. False
  /// when that does not help, either.
  bool give_up_waits();

  LaunchState* launch_;
  BlockState block_;
  std::vector<std::byte> shared_;
  std::unique_ptr<SharedShadow> shadow_;
  AsyncCopies async_;
  std::unique_ptr<BlockOrder> order_;
  std::uint32_t fruitless_ = 0;   ///< waits given up in a row
  std::uint64_t last_steps_ = 0;  ///< BlockState::mbarrier_steps at the last of them
  std::uint64_t polls_ = 0;       ///< fruitless reads in a row, of the warp with the most
  Barriers barriers_;
  std::deque<WarpExecutor> executors_;  ///< beside block_.warps, which never moves
};

}  // namespace warpmind::simulator
