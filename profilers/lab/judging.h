#pragma once
/// \file
/// What the stages of one judging share, and how a stage fails.

#include "base/model/kernel.h"
#include "base/model/task.h"
#include "base/model/verdict.h"
#include "config/settings.h"
#include "profilers/judge_session.h"
#include "profilers/lab/given_kernel.h"
#include "profilers/lab/scratch_root.h"
#include "profilers/lab/session_validity.h"
#include "profilers/runner_pool.h"

#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <variant>
#include <vector>

namespace warpmind::profilers {

/// Version of everything that makes a time: numbers of two versions are never compared.
inline constexpr const char* kHarnessVersion = "1";

/// One kernel and its binary in the build cache.
struct BuiltKernel {
  const Kernel* kernel = nullptr;
  std::filesystem::path binary;
};

/// A stage that ends the judging: a value, because kernels fail every day.
struct StageFailure {
  Outcome outcome = Outcome::crashed;
  std::string reason;
  bool varies = false;  ///< runs on the same inputs differ, and nothing else
};

/// References outlive the judging.
struct Judging {
  const config::LabSettings& settings;
  RunnerPool& pool;
  const Sandbox& sandbox;
  const ScratchRoot& scratch;
  const Task& task;
  JudgeSession judge;
  DeviceSpec device;
  std::stop_token stop;
  std::unique_ptr<GivenKernel> given = {};       ///< where the task has no reference
  DeviceProcesses processes = {};                ///< who computes on the device; empty = unknown
  std::filesystem::path prediction_secret = {};  ///< profilers/lab/prediction_seed.h
};

/// Whether the kernel that is judged is what says what is right. It can be found broken, never
/// wrong: what a comparison with itself shows is about its inputs, or about an order of additions.
[[nodiscard]] bool is_own_reference(const Judging& judging);

/// A judge may need minutes for a large reference on the CPU.
inline constexpr double kJudgeSeconds = 900;

enum class CaseUse {
  compared,  ///< outputs will be compared: the given kernel's runner gets the inputs as well
  probed,    ///< compared, and some may be probes, where the given kernel takes them
  run_only,
  predicted,  ///< run only, on the inputs that every prediction for the workload has
};

/// Whether the scratch space holds `cases` cases of the workload. Errors: unavailable with the
/// remedy.
[[nodiscard]] Result<void> check_scratch_space(const Judging& judging, const Workload& workload,
                                               std::int64_t cases);

/// The task as the judge gets it: without kernel, and with `workload` where it is a hidden one.
[[nodiscard]] Task task_for_judge(const Task& task, const Workload& workload);

/// Cases of one workload in the job directory of `runner`, with space for the outputs checked: at
/// least `seeds`. Errors: as JudgeSession::prepare; unavailable when the scratch space is too
/// small.
[[nodiscard]] Result<std::vector<PreparedCase>> prepare_cases(
    Judging& judging, const WorkerSession& runner, const Workload& workload, std::int64_t seeds,
    CaseUse use = CaseUse::compared, InputChoice inputs = InputChoice::dealt);

struct CaseComparison {
  double baseline_error = 0;  ///< reduction class; 0 = this is the baseline
  double case_seconds = 0;    ///< that a case may take, if more than lab.case_timeout_s
  bool partial = false;       ///< as in JudgeJob
  bool varies = false;        ///< the given kernel is judged, and its runs differ
};

struct ComparedCases {
  Correctness correctness;              ///< of the cases that say something
  std::optional<StageFailure> failure;  ///< of the given kernel: the task cannot be judged
  std::int64_t silent = 0;              ///< as in JudgeReply, a count
  std::string worst_place = {};         ///< as in JudgeReply
};

/// Compares what the candidate made of `cases`, after the given kernel has run them where it is the
/// reference, and empties the job directories. What differs from it by more than any kernel may is
/// compared again with the spread of the given kernel's perturbed runs. Errors: ours only.
[[nodiscard]] Result<ComparedCases> compare_cases(Judging& judging, const WorkerSession& runner,
                                                  const Workload& workload,
                                                  const std::vector<PreparedCase>& cases,
                                                  const CaseComparison& how);

/// Whether every output is a regular file of the right size: nothing else is shown to the judge.
[[nodiscard]] std::optional<StageFailure> check_output_files(
    const std::filesystem::path& directory, const std::vector<BufferSpec>& buffers);

/// The simulator's report in out/ of a runner: it grows from workload to workload.
inline constexpr const char* kSimulationReport = "simulation.jsonl";

/// Empties in/ and out/ of `runner`, but for the simulator's report.
void clear_cases(const WorkerSession& runner);

}  // namespace warpmind::profilers
