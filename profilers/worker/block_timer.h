#pragma once
/// \file
/// Times one block of runs on events, with the launches queued up behind a gate.

#include "profilers/worker/cuda_handles.h"
#include "profilers/worker/input_ring.h"
#include "profilers/worker/kernel_program.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace warpmind::profilers {

/// One program bound to every slot of the ring.
struct RingProgram {
  std::vector<std::unique_ptr<BoundPlan>> plans;  ///< one a slot
  Tier tier = Tier::a;

  [[nodiscard]] const BoundPlan& plan(std::size_t run) const { return *plans[run % plans.size()]; }
};

/// One block, by two clocks.
struct BlockTime {
  double event_ns = 0;
  double wall_ns = 0;  ///< from the opening of the gate to an idle device
};

/// Runs blocks. Tier A blocks start behind a gate: a host function holds the stream until enough
/// launches are queued that the device never waits for the host; so a kernel shorter than its
/// launch call is timed at the device's pace. Tier B entries may synchronise, which would never
/// return behind a gate: they run without one.
class BlockTimer {
 public:
  [[nodiscard]] static Result<BlockTimer> create(cudaStream_t stream);

  /// Refreshes the ring (outside the timed part), then runs the program `runs` times.
  [[nodiscard]] Result<BlockTime> run(InputRing& ring, const RingProgram& program,
                                      std::size_t runs);

 private:
  BlockTimer(cudaStream_t stream, UniqueEvent start, UniqueEvent stop)
      : stream_(stream), start_(std::move(start)), stop_(std::move(stop)) {}

  cudaStream_t stream_;
  UniqueEvent start_;
  UniqueEvent stop_;
};

}  // namespace warpmind::profilers
