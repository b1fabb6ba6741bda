#pragma once
/// \file
/// One judge process (warpmind-judge): owns seeds, inputs, reference and comparison of one
/// candidate.

#include "base/result.h"
#include "profilers/job/judge_job.h"
#include "profilers/process/line_session.h"
#include "profilers/sandbox/sandbox.h"

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::profilers {

struct JudgePlace {
  std::filesystem::path program;            ///< warpmind-judge
  std::filesystem::path scratch_root;       ///< parent of every runner's job directory
  std::filesystem::path reference_library;  ///< built reference; empty where the task has none
  std::filesystem::path recorded_values;    ///< folder of a recorded task; empty: there are none
};

/// JudgePlace::recorded_values of `task`.
[[nodiscard]] std::filesystem::path recorded_values_of(const Task& task);

/// The judge is ours, the reference that it loads is the task author's: it runs in a sandbox
/// without network or device, seeing only `scratch_root`, the reference and recorded values.
class JudgeSession {
 public:
  /// `sandbox` must outlive the session. Errors: not_found without the program.
  [[nodiscard]] static Result<JudgeSession> start(const Sandbox& sandbox, JudgePlace place);

  /// Writes cases into `directory` (under scratch_root). `job.directory` and
  /// `job.reference_library` are filled in here; `job.expected_directory`, under scratch_root too,
  /// becomes the path that the judge sees. Errors: cancelled, timeout, external_failure (the
  /// judge ended or refused), corrupt_data.
  [[nodiscard]] Result<std::vector<PreparedCase>> prepare(JudgeJob job,
                                                          const std::filesystem::path& directory,
                                                          double timeout_s,
                                                          const std::stop_token& stop);

  /// Tries the controls of `job.task`; `job.reference_library` is filled in here. Errors: as
  /// prepare().
  [[nodiscard]] Result<AdmissionReport> admit(JudgeJob job, double timeout_s,
                                              const std::stop_token& stop);

  /// As prepare(), for groups of runs between which `job.relation` must hold, or that repeat each
  /// other (`job.repetition`).
  [[nodiscard]] Result<std::vector<PreparedCase>> relate(JudgeJob job,
                                                         const std::filesystem::path& directory,
                                                         double timeout_s,
                                                         const std::stop_token& stop);

  /// Compares the outputs of all related runs that wait. Errors: as prepare().
  [[nodiscard]] Result<Correctness> compare_related(double baseline_error, double timeout_s,
                                                    const std::stop_token& stop);

  /// Compares the outputs of earlier prepared cases; `job.command` is filled in here. Errors: as
  /// prepare().
  [[nodiscard]] Result<JudgeReply> compare(JudgeJob job, double timeout_s,
                                           const std::stop_token& stop);

 private:
  JudgeSession(const Sandbox& sandbox, JudgePlace place, LineSession session)
      : sandbox_(&sandbox), place_(std::move(place)), session_(std::move(session)) {}
  Result<JudgeReply> ask(const JudgeJob& job, double timeout_s, const std::stop_token& stop);
  Result<std::vector<PreparedCase>> ask_for_cases(JudgeJob job,
                                                  const std::filesystem::path& directory,
                                                  double timeout_s, const std::stop_token& stop);

  const Sandbox* sandbox_;
  JudgePlace place_;
  LineSession session_;
};

}  // namespace warpmind::profilers
