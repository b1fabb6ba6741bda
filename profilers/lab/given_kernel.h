#pragma once
/// \file
/// The task's own kernel as its reference (decision 0019): runs it on the inputs of a case.

#include "base/model/task.h"
#include "base/result.h"
#include "config/settings.h"
#include "profilers/job/judge_job.h"
#include "profilers/job/runner_job.h"
#include "profilers/worker_session.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// Serves one judging. Its runner is a process of its own with a job directory that no candidate
/// sees: a candidate can neither read nor write what is expected of it.
class GivenKernel {
 public:
  using StartRunner = std::function<Result<WorkerSession>()>;
  /// Builds of it with other arithmetic, rounded or strained; fewer, or none, where that does not
  /// go.
  using BuildPerturbed =
      std::function<Result<std::vector<std::filesystem::path>>(PerturbedPart part)>;

  /// `binary`: task.kernel as built. `is_candidate`: the kernel that is judged is the same.
  /// References outlive it.
  GivenKernel(const Task& task, const config::LabSettings& settings, std::filesystem::path binary,
              bool is_candidate, StartRunner start, BuildPerturbed build_perturbed)
      : task_(task),
        settings_(settings),
        binary_(std::move(binary)),
        is_candidate_(is_candidate),
        start_(std::move(start)),
        build_perturbed_(std::move(build_perturbed)) {}
  ~GivenKernel();
  GivenKernel(const GivenKernel&) = delete;
  GivenKernel& operator=(const GivenKernel&) = delete;

  [[nodiscard]] bool is_candidate() const { return is_candidate_; }

  /// The runner's job directory. Starts the runner when there is none.
  [[nodiscard]] Result<std::filesystem::path> directory();

  /// Computes the outputs of `cases`, which the judge has prepared with directory() as the place of
  /// what is expected; `case_seconds` = what a case may take, if more than lab.case_timeout_s.
  /// Returns why it could not, one sentence, or nullopt. Errors: ours only.
  [[nodiscard]] Result<std::optional<std::string>> try_cases(const Workload& workload,
                                                             const std::vector<PreparedCase>& cases,
                                                             double case_seconds,
                                                             const std::stop_token& stop);

  /// Whether it is tried on inputs of which only its own runs can say that they are fair.
  [[nodiscard]] bool takes_probes() const {
    return task_.kernel.tier == Tier::a && !refuses_probes_;
  }
  /// It failed on such inputs, or cannot say: no more are drawn.
  void refuse_probes();

  /// Runs `cases`, which run() has run, again and again, with what rounding may change moved: the
  /// outputs of each lie beside those of run(). Probes, which run with strained builds as well, are
  /// not mixed with others.
  struct Perturbed {
    std::vector<PerturbedRun> runs;
    std::optional<std::string> trouble;  ///< why it could not, one sentence
  };
  [[nodiscard]] Result<Perturbed> perturb(const Workload& workload,
                                          const std::vector<PreparedCase>& cases,
                                          double case_seconds, const std::stop_token& stop);

  /// Whether its runs on the inputs of `cases` differ, as those of floating-point atomics do. Once
  /// seen, it stays so.
  [[nodiscard]] Result<bool> varies(const Workload& workload,
                                    const std::vector<PreparedCase>& cases, double case_seconds,
                                    const std::stop_token& stop);

  /// Prepares new cases of a workload in directory().
  using DrawCases = std::function<Result<std::vector<PreparedCase>>()>;
  /// As varies(), on a few draws more: on few cases the sums of two orders may round alike by
  /// chance.
  [[nodiscard]] Result<bool> varies_on_draws(const Workload& workload, const DrawCases& draw,
                                             double case_seconds, const std::stop_token& stop);

  /// Empties the job directory's in/ and out/.
  void clear();

 private:
  /// What the runner is told; `trouble`: the plan cannot be evaluated.
  struct Job {
    RunnerJob job;
    std::optional<std::string> trouble;
  };
  [[nodiscard]] Result<Job> make_job(const Workload& workload,
                                     const std::vector<PreparedCase>& cases) const;
  /// Names of the builds in the runner's directory.
  [[nodiscard]] Result<std::vector<std::string>> add_builds(PerturbedPart part);
  [[nodiscard]] Result<RunnerAnswer> ask(const RunnerJob& job, double case_seconds,
                                         const std::stop_token& stop);
  /// Of a job that was done.
  [[nodiscard]] Result<std::optional<std::string>> find_trouble(const RunnerJob& job,
                                                                RunnerAnswer answer);

  const Task& task_;
  const config::LabSettings& settings_;
  std::filesystem::path binary_;
  bool is_candidate_;
  StartRunner start_;
  BuildPerturbed build_perturbed_;
  /// By part; those that were asked for.
  std::map<PerturbedPart, std::vector<std::filesystem::path>> builds_;
  std::optional<WorkerSession> runner_;
  bool varies_ = false;
  bool refuses_probes_ = false;
};

}  // namespace warpmind::profilers
