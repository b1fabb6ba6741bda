#pragma once
/// \file
/// Which tasks may be judged: a degenerate one is refused before any kernel is built for it.

#include "base/ids.h"
#include "base/model/task.h"
#include "base/result.h"
#include "config/settings.h"
#include "profilers/job/judge_job.h"
#include "profilers/sandbox/sandbox.h"
#include "profilers/toolchain/kernel_toolchain.h"

#include <filesystem>
#include <map>
#include <stop_token>

namespace warpmind::profilers {

/// What an admission needs of a lab. References must outlive the call.
struct AdmissionPlace {
  const Sandbox& sandbox;
  const KernelToolchain& toolchain;
  std::filesystem::path judge_program;
  std::filesystem::path scratch_root;
};

/// Runs the controls of `task` in a judge process of its own: inputs, reference and comparison, no
/// kernel and no device (docs/numerics.md). A task without reference is admitted unseen: its first
/// judging looks at what the given kernel computes (decision 0019). Errors: invalid_argument when
/// the reference does not build or fails; cancelled; timeout; external_failure.
[[nodiscard]] Result<AdmissionReport> run_admission(const AdmissionPlace& place, const Task& task,
                                                    const std::stop_token& stop);

/// The same by itself, for who has no lab. Errors: also unavailable without compiler or judge.
[[nodiscard]] Result<AdmissionReport> run_admission(const config::Settings& settings,
                                                    const Task& task, const std::stop_token& stop);

/// Remembers what it admitted and refused: a task is tried once. Not thread-safe.
class TaskAdmissions {
 public:
  /// Errors: invalid_argument with the sentence of refusal; else as run_admission().
  [[nodiscard]] Result<void> require(const AdmissionPlace& place, const Task& task,
                                     const std::stop_token& stop);

 private:
  std::map<TaskId, AdmissionReport> known_;
};

}  // namespace warpmind::profilers
