#pragma once
/// \file
/// One runner process (warpmind-worker) and its job directory. Serves one candidate, then goes.

#include "base/file.h"
#include "base/model/device.h"
#include "base/model/verdict.h"
#include "base/result.h"
#include "base/sequence.h"
#include "profilers/device_turn.h"
#include "profilers/health/abnormal_end.h"
#include "profilers/job/runner_job.h"
#include "profilers/process/line_session.h"
#include "profilers/sandbox/sandbox.h"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// Argument of a runner whose CUDA runtime is the simulator.
inline constexpr const char* kSimulatedRunner = "--simulated";

/// How runners are started on this machine.
struct RunnerPlace {
  std::filesystem::path program;  ///< warpmind-worker
  std::filesystem::path scratch_root;
  std::filesystem::path cuda_runtime;  ///< put before LD_LIBRARY_PATH; empty = nothing
  std::int64_t device = 0;             ///< CUDA ordinal among those visible to the daemon
  std::string visible = {};  ///< the GPU as CUDA_VISIBLE_DEVICES names it, in the place of `device`
  std::filesystem::path toolkit_libraries = {};       ///< searched last; empty = nothing
  std::vector<std::string> arguments = {};            ///< of the program
  std::vector<std::string> environment = {};          ///< added to the runner's own
  std::vector<std::filesystem::path> read_only = {};  ///< it may see, besides
  bool starts_processes = false;                      ///< SandboxRole::checked_runner
  /// Told of every runner that was killed or died; what it returns is added to the reason. Empty =
  /// nobody wants to know.
  std::function<std::string(AbnormalEnd)> on_bad_end = {};
  std::chrono::milliseconds kill_grace = kKillGrace;
  /// Whom the device is shared with: runs take their turn. Null = nobody.
  std::shared_ptr<DeviceUse> use = {};
  /// Of libraries whose calls are timed (profilers/baseline/); searched after `toolkit_libraries`.
  std::vector<std::filesystem::path> library_folders = {};
  int niceness = 0;  ///< of its runners; more than 0 where they only compute on processors
};

/// What came of one job: a report, or how the runner failed as a value for the verdict.
struct RunnerAnswer {
  std::optional<RunnerReport> report;
  Outcome outcome = Outcome::crashed;  ///< without report: crashed or timed_out
  std::string reason;                  ///< one sentence
};

/// The job directory has in/ (the judge writes, the runner reads), out/ (the runner writes) and
/// bin/ (the lab writes binaries). The runner sees it as its working directory, and of other
/// directories nothing.
class WorkerSession {
 public:
  /// `sandbox` must outlive the session. Returns before the runner has its CUDA context.
  /// A context's start disturbs whoever is timing, so the device is shared with it until its first
  /// run has ended; `held` is the caller's share of it, if it has one already.
  /// Errors: not_found without the program; external_failure.
  [[nodiscard]] static Result<WorkerSession> start(const Sandbox& sandbox, const RunnerPlace& place,
                                                   std::shared_lock<DeviceTurn> held = {});

  /// Blocks until it is the run's turn on the device (alone for JobMode::time and profile), then
  /// until the report or the end of the runner. `timeout_s` begins with its turn. Errors:
  /// cancelled.
  [[nodiscard]] Result<RunnerAnswer> run_job(const RunnerJob& job, double timeout_s,
                                             const std::stop_token& stop);

  /// Lets the runner leave by itself, so that its CUDA context is gone when this returns: the next
  /// one is timed alone on the device.
  void finish(std::chrono::seconds most = std::chrono::seconds(5));

  [[nodiscard]] const std::filesystem::path& directory() const { return directory_.path(); }
  /// With which the simulator seals its reports; empty for a GPU.
  [[nodiscard]] const std::string& report_key() const { return report_key_; }
  /// As the last run's report has it; nullopt when that run ended without one.
  [[nodiscard]] const std::optional<std::string>& report_seal() const { return report_seal_; }
  [[nodiscard]] bool alive() { return session_.alive(); }
  [[nodiscard]] pid_t pid() const { return session_.pid(); }
  /// Its CUDA runtime is the simulator.
  [[nodiscard]] bool is_simulated() const { return is_simulated_; }
  /// What outlived the runner's end; null = nothing.
  [[nodiscard]] const std::shared_ptr<StuckProcess>& stuck() const { return session_.stuck(); }

  /// Copies `file` to bin/`name` and returns the path as the runner knows it, "bin/<name>".
  [[nodiscard]] Result<std::string> add_binary(const std::filesystem::path& file,
                                               const std::string& name) const;

 private:
  WorkerSession(ScratchDirectory directory, std::shared_lock<DeviceTurn> starting,
                LineSession session, const RunnerPlace& place)
      : directory_(std::move(directory)),
        starting_(std::move(starting)),
        session_(std::move(session)),
        on_bad_end_(place.on_bad_end),
        use_(place.use),
        is_simulated_(contains(place.arguments, kSimulatedRunner)) {}

  /// Of the device: what it has of its start still, else a share of its own. Blocks while someone
  /// measures.
  [[nodiscard]] std::shared_lock<DeviceTurn> share();
  [[nodiscard]] SessionAnswer exchange(const RunnerJob& job, double timeout_s,
                                       const std::stop_token& stop);

  ScratchDirectory directory_;             // before session_: the runner is gone when its files go
  std::shared_lock<DeviceTurn> starting_;  // until the first run has ended
  LineSession session_;
  std::function<std::string(AbnormalEnd)> on_bad_end_;
  std::shared_ptr<DeviceUse> use_;  ///< null = the device is nobody else's
  std::string report_key_;
  std::optional<std::string> report_seal_;
  bool key_sent_ = false;
  bool is_simulated_ = false;
};

/// The CUDA_VISIBLE_DEVICES that leaves only `ordinal` of `visible` (the daemon's own value).
[[nodiscard]] std::string visible_device(std::int64_t ordinal, std::string_view visible);
/// The CUDA_VISIBLE_DEVICES of runners of `place`.
[[nodiscard]] std::string visible_device(const RunnerPlace& place);

}  // namespace warpmind::profilers
