#pragma once
/// \file
/// Operations of a whole launch plan on one workload.

#include "base/model/kernel.h"
#include "base/model/operation_count.h"
#include "base/model/task.h"
#include "base/result.h"
#include "profilers/flops/counter_mix.h"
#include "profilers/flops/operation.h"
#include "profilers/flops/thread_walk.h"
#include "profilers/job/runner_job.h"
#include "profilers/simulator/profile/launch_record.h"
#include "profilers/simulator/ptx/syntax.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::profilers {

/// One launch of the plan.
struct LaunchCount : LaunchToCount {
  OperationCounts counts;
  /// Loaded from and stored to global memory, every access counted; nullopt = not known.
  std::optional<double> moved_bytes;
  CounterMix hardware;  ///< the same as a GPU's counters would show it
  /// A condition that no flops depend on is not known: only operations that are flops are counted.
  bool only_flops = false;
};

/// The launch as a walk needs it: buffers become addresses that differ, scalars their bytes.
/// Errors: invalid_argument when the launch does not fit the parameters of `function`.
[[nodiscard]] Result<WalkLaunch> walk_launch_of(const LaunchCall& call,
                                                const simulator::ptx::Function& function);

/// Walks one launch.
[[nodiscard]] LaunchCount count_launch(const simulator::ptx::Function& function,
                                       const WalkLaunch& launch,
                                       WalkGoal goal = WalkGoal::everything);

/// Walks every launch. A launch whose kernel `module` lacks is undecided. Errors: as
/// make_program().
[[nodiscard]] Result<std::vector<LaunchCount>> count_plan(const Task& task, const Kernel& kernel,
                                                          const Workload& workload,
                                                          const simulator::ptx::Module& module);

/// The same from what the simulator counted; scaled where not every block ran.
[[nodiscard]] OperationCounts counts_of(const simulator::LaunchRecord& launch);

/// The PTX of a fat binary. Errors: corrupt_data; not_found when it has none that is not
/// compressed.
[[nodiscard]] Result<std::string_view> ptx_of_fatbin(std::span<const std::byte> fatbin);

}  // namespace warpmind::profilers
