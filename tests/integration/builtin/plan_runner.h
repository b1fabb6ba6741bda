#pragma once
/// \file
/// Runs every launch of a plan on one workload in the simulator, in this process, with all checks.

#include "base/model/task.h"
#include "base/result.h"
#include "profilers/simulator/checks/check_recorder.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpmind::rewrites {

/// Content of the buffers before a run, by argument; buffers that are not named are made by
/// input_bytes().
using BufferContents = std::map<std::string, std::string, std::less<>>;

struct PlanRun {
  /// The task's buffers afterwards, inputs too: a kernel may have written where it must not.
  std::map<std::string, std::string, std::less<>> buffers;
  std::vector<simulator::CheckEntry> findings;  ///< defects of all launches
  std::string end_reason;                       ///< empty: every launch ran to its end
  bool out_of_steps = false;                    ///< the limit ended a launch
  std::uint64_t thread_instructions = 0;

  [[nodiscard]] std::string describe_findings() const;  ///< a line each
};

struct PlanRunLimits {
  std::uint64_t steps = std::uint64_t{1} << 27U;  ///< basic blocks of warps, a launch
  std::uint64_t memory_bytes = std::uint64_t{1} << 30U;
};

/// The same bytes on every call: integers -4 … 4 (0 … 4 where the dtype has no sign), or those of
/// the argument's index_range, by a generator seeded with the argument's name.
[[nodiscard]] std::string input_bytes(const Argument& argument, std::size_t elements);

/// Outputs and scratch that is not zeroed are poison (all bits set) and count as not written.
/// Errors: invalid_argument when the plan cannot be evaluated, does not fit the kernel, or uses an
/// instruction that the simulator does not know.
[[nodiscard]] Result<PlanRun> run_plan(const std::string& ptx, const Task& task,
                                       const LaunchPlan& plan, const Workload& workload,
                                       const BufferContents& contents = {},
                                       const PlanRunLimits& limits = {});

}  // namespace warpmind::rewrites
