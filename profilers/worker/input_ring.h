#pragma once
/// \file
/// Copies of one case's memory, used in turn so that every timed run finds its data cold.

#include "profilers/worker/runner_session.h"

#include <cstddef>
#include <memory>
#include <vector>

namespace warpmind::profilers {

/// K slots, each with all buffers, scratch and red zones of the case.
///
/// K is the smallest number with K x footprint >= 4 x L2, at least 2 and at most 64, and less where
/// K x footprint would pass 2 GiB or half of the free memory. A run on slot i thus finds its data
/// evicted by the runs on the K - 1 other slots, without a flush inside the timed block. A case so
/// small that 64 slots fit in L2 stays warm there after its first round; its time is launch
/// latency, which L2 does not change.
class InputRing {
 public:
  /// `hot`: one slot that is never flushed, to see what the caches are worth.
  [[nodiscard]] static Result<std::unique_ptr<InputRing>> create(RunnerSession& session,
                                                                 const RunCase& run_case,
                                                                 const CaseInputs& inputs,
                                                                 bool hot = false);

  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  [[nodiscard]] CaseMemory& slot(std::size_t run) { return slots_[run % slots_.size()]; }

  /// Before a block of `runs` runs: poisons the outputs and restores the inouts of the slots that
  /// the block will use, lets go of lines that persist in L2, then overwrites twice the L2.
  /// Asynchronous.
  [[nodiscard]] Result<void> refresh(std::size_t runs);

  /// Red zones of every slot. A sentence, or nullopt.
  [[nodiscard]] Result<std::optional<std::string>> find_damage() const;

 private:
  explicit InputRing(cudaStream_t stream) : stream_(stream) {}

  cudaStream_t stream_;
  std::vector<CaseMemory> slots_;
  UniqueDeviceMemory flush_;
  std::size_t flush_bytes_ = 0;  ///< 0 = hot
  bool may_persist_ = false;     ///< the device can keep lines in L2 on request
  int flush_value_ = 0;
};

}  // namespace warpmind::profilers
