#pragma once
/// \file
/// Times one block of runs on events, with the launches queued up behind a gate.

#include "profilers/worker/cuda_handles.h"
#include "profilers/worker/input_ring.h"
#include "profilers/worker/kernel_program.h"

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace warpmind::profilers {

/// One program bound to every slot of the ring.
struct RingProgram {
  std::vector<std::unique_ptr<BoundPlan>> plans;  ///< one a slot
  bool is_gated = true;                           ///< its runs only enqueue

  [[nodiscard]] const BoundPlan& plan(std::size_t run) const { return *plans[run % plans.size()]; }
};

/// One block, its rounds added up, by two clocks.
struct BlockTime {
  double event_ns = 0;
  /// Host time from the start of the block to an idle device, less that of an empty block.
  double wall_ns = 0;
};

/// Runs blocks. Tier A blocks start behind a gate: a host function holds the stream until enough
/// launches are queued that the device never waits for the host; so a kernel shorter than its
/// launch call is timed at the device's pace. Tier B entries may synchronise, which would never
/// return behind a gate: they run without one, but for those that say they only enqueue.
class BlockTimer {
 public:
  /// Also times empty blocks: waking a host function and the host itself cost some 100 us.
  [[nodiscard]] static Result<BlockTimer> create(cudaStream_t stream);

  /// Runs the program `runs` times, in rounds that use each slot of the ring once, the ring
  /// refreshed before each (outside the timed part). `judged`: of the last round, the run that gets
  /// the inputs as given, to be kept by the ring.
  [[nodiscard]] Result<BlockTime> time_block(InputRing& ring, const RingProgram& program,
                                             std::size_t runs,
                                             std::optional<std::size_t> judged = std::nullopt);

 private:
  /// Enqueues run number i.
  using Enqueue = std::function<Result<void>(std::size_t)>;

  BlockTimer(cudaStream_t stream, UniqueEvent start, UniqueEvent stop)
      : stream_(stream), start_(std::move(start)), stop_(std::move(stop)) {}

  [[nodiscard]] Result<double> empty_block_ns(std::size_t gated_runs);
  /// The gate opens after `gated_runs` runs are queued; 0 = no gate.
  [[nodiscard]] Result<BlockTime> round(std::size_t runs, std::size_t gated_runs,
                                        const Enqueue& enqueue);

  cudaStream_t stream_;
  UniqueEvent start_;
  UniqueEvent stop_;
  double empty_gated_ns_ = 0;
  double empty_ungated_ns_ = 0;
};

}  // namespace warpmind::profilers
