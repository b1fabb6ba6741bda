#pragma once
/// \file
/// Copies of one case's memory, used in turn so that every timed run finds its data cold and new.

#include "profilers/worker/runner_session.h"

#include <cstddef>
#include <memory>
#include <optional>
#include <random>
#include <vector>

namespace warpmind::profilers {

/// K slots, each with all buffers, scratch and red zones of the case, beside the case as it was
/// given. A timed round uses each slot once at most, after refresh(): every run finds inputs that
/// no run before it had, outputs and scratch that nobody wrote, and nothing of them in L2. What a
/// kernel keeps from run to run (results by content, "my output is there already") is of no use to
/// it.
///
/// K is 64, and less where K x footprint would pass 2 GiB or half of the free memory.
class InputRing {
 public:
  /// `hot`: one slot that is used again and again as it is, to see what the caches are worth.
  [[nodiscard]] static Result<std::unique_ptr<InputRing>> create(RunnerSession& session,
                                                                 const RunCase& run_case,
                                                                 const CaseInputs& inputs,
                                                                 bool hot = false);

  [[nodiscard]] std::size_t size() const { return slots_.size(); }
  [[nodiscard]] bool is_hot() const { return flush_bytes_ == 0; }
  [[nodiscard]] CaseMemory& slot(std::size_t run) { return slots_[run % slots_.size()]; }

  /// Before a round of `runs` runs: fills the slots that it will use, lets go of lines that persist
  /// in L2, then overwrites twice the L2. Slot `judged` gets the inputs of the case as they are,
  /// the others each their own. Asynchronous.
  [[nodiscard]] Result<void> refresh(std::size_t runs, std::optional<std::size_t> judged);
  /// Takes slot `judged` of the last round aside, for judged(). Asynchronous.
  [[nodiscard]] Result<void> keep(std::size_t judged);
  [[nodiscard]] const CaseMemory& judged() const { return judged_; }

  /// Red zones of every slot. A sentence, or nullopt.
  [[nodiscard]] Result<std::optional<std::string>> find_damage() const;

 private:
  explicit InputRing(RunnerSession& session);

  cudaStream_t stream_;
  CaseMemory given_;   ///< inputs as uploaded, outputs and scratch poisoned
  CaseMemory judged_;  ///< what a run on the given inputs left
  std::vector<CaseMemory> slots_;
  std::mt19937_64 random_;
  UniqueDeviceMemory flush_;
  std::size_t flush_bytes_ = 0;  ///< 0 = hot
  bool may_persist_ = false;     ///< the device can keep lines in L2 on request
  int flush_value_ = 0;
};

}  // namespace warpmind::profilers
