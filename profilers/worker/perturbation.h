#pragma once
/// \file
/// A run of a plan in which inputs, or what launches hand on, move by one step of their type.

#include "base/result.h"
#include "profilers/job/runner_job.h"
#include "profilers/worker/kernel_program.h"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// Of one case, which outlives it. The plan is bound to `addresses`.
class Perturbation {
 public:
  Perturbation(const RunCase& run_case, Addresses addresses)
      : case_(run_case), addresses_(std::move(addresses)) {}

  /// Runs the plan once, on inputs as uploaded. May return before the last launch has ended.
  [[nodiscard]] Result<void> run_perturbed(const BoundPlan& plan, const PerturbedRun& how,
                                           cudaStream_t stream);

 private:
  [[nodiscard]] Result<std::vector<std::byte>> read(const std::string& name, std::int64_t bytes);
  [[nodiscard]] Result<void> write(const std::string& name, const std::vector<std::byte>& bytes);
  [[nodiscard]] Result<void> move_inputs(const PerturbedRun& how);
  /// What launch `number` changed of what it hands on.
  [[nodiscard]] Result<void> move_handed_on(const PerturbedRun& how, std::size_t number,
                                            std::map<std::string, std::vector<std::byte>>& known);

  const RunCase& case_;
  Addresses addresses_;
};

}  // namespace warpmind::profilers
