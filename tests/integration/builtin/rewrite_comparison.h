#pragma once
/// \file
/// Whether a rewritten kernel computes what the given one does.

#include "base/model/task.h"
#include "tests/integration/builtin/kernel_builder.h"
#include "tests/integration/builtin/plan_runner.h"

#include <map>
#include <string>
#include <vector>

namespace warpmind::rewrites {

/// How far outputs may be apart. Bit for bit without it; zeros of either sign are one value, as are
/// all NaNs.
struct Closeness {
  double ulps = 0;      ///< units in the last place of the argument's dtype
  double absolute = 0;  ///< enough alone: for values that nearly cancel
};

struct Difference {
  std::string argument;
  std::size_t index = 0;  ///< element
  double given = 0;
  double rewritten = 0;
  std::size_t count = 0;  ///< elements of that argument that differ
};

struct WorkloadReport {
  std::string workload;
  std::string error;     ///< the rewritten kernel could not be built or run, or was stopped
  std::string findings;  ///< defects that the given kernel does not have, a line each
  std::vector<Difference> differences;  ///< the first of each argument
  bool out_of_steps = false;  ///< the rewritten kernel did much more work: it may be right
  std::uint64_t given_instructions = 0;  ///< of threads
  std::uint64_t rewritten_instructions = 0;

  [[nodiscard]] bool same() const {
    return error.empty() && findings.empty() && differences.empty();
  }
};

struct RewriteReport {
  std::vector<WorkloadReport> workloads;

  /// False, too, when no workload ran.
  [[nodiscard]] bool same() const;
  [[nodiscard]] std::string describe() const;  ///< what is wrong, for a person
};

/// Which of the task's workloads run: all that are not timed, and timed ones whose buffers hold at
/// most this many elements. Shipped tasks are timed at sizes that take minutes to simulate.
inline constexpr std::int64_t kTimedElementLimit = 1 << 17;
[[nodiscard]] std::vector<Workload> workloads_to_run(const Task& task);

/// Compares rewrites with the task's own kernel, which is built and run once.
class RewriteComparison {
 public:
  /// Errors: as KernelBuilder::ptx and run_plan of the given kernel: the task itself is no good.
  [[nodiscard]] static Result<RewriteComparison> create(const KernelBuilder& builder, Task task,
                                                        const PlanRunLimits& limits = {});

  [[nodiscard]] RewriteReport compare(const Kernel& rewritten,
                                      const Closeness& closeness = {}) const;
  [[nodiscard]] const Task& task() const { return task_; }

 private:
  RewriteComparison(KernelBuilder builder, Task task, PlanRunLimits limits);

  KernelBuilder builder_;
  Task task_;
  PlanRunLimits limits_;
  std::vector<Workload> workloads_;
  std::vector<PlanRun> given_;  ///< beside workloads_
};

}  // namespace warpmind::rewrites
