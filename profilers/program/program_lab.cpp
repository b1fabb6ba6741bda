#include "profilers/program/program_lab.h"

#include "config/program_task_validator.h"
#include "profilers/lab/lab_parts.h"
#include "profilers/program/linked_runtime.h"
#include "profilers/program/program_workspace.h"

#include <algorithm>
#include <mutex>
#include <shared_mutex>

namespace warpmind::profilers {
namespace {

/// A program without kernels may wait for what they would have computed.
constexpr double kNullRunSeconds = 10;
constexpr double kNullRunFactor = 5;

std::string names_of_kernels(const std::vector<KernelTimes>& kernels) {
  std::string names;
  for (const auto& kernel : kernels) {
    if (names.size() > 200) return names + ", …";
    names += (names.empty() ? "" : ", ") + kernel.kernel;
  }
  return names;
}

/// One check under way.
class Admission {
 public:
  Admission(const ProgramTask& task, const ProgramWorkspace& workspace, ProgramCheck& check,
            const std::stop_token& stop, const ProgramLab::Progress& progress, DeviceTurn& turn)
      : task_(task),
        workspace_(workspace),
        check_(check),
        stop_(stop),
        progress_(progress),
        turn_(turn) {}

  Result<void> try_controls(std::int64_t runs) {
    WARPMIND_CHECK(build());
    if (done()) return {};
    check_linkage();
    if (done()) return {};
    for (std::int64_t number = 1; number <= runs && !done(); ++number) {
      WARPMIND_CHECK(real_run(number, runs));
    }
    return done() ? Result<void>() : null_run();
  }

 private:
  [[nodiscard]] bool done() const { return check_.refused_by != ProgramControl::none; }

  void refuse(ProgramControl control, std::string reason, std::string diagnostics = {}) {
    check_.refused_by = control;
    check_.reason = std::move(reason);
    check_.diagnostics = std::move(diagnostics);
  }

  void tell(const std::string& line) const {
    if (progress_) progress_(line);
  }

  Result<void> build() {
    tell("building");
    WARPMIND_TRY(auto built, workspace_.build(stop_));
    check_.build_s = built.wall_s;
    if (!built.succeeded) {
      refuse(ProgramControl::build, std::move(built.reason), std::move(built.diagnostics));
    }
    return {};
  }

  void check_linkage() {
    if (linked_runtime(workspace_.program()) != LinkedRuntime::inside) return;
    refuse(ProgramControl::linkage,
           "its CUDA runtime is linked in, where launches can be neither seen nor skipped; link it "
           "with -cudart shared (nvcc) or -lcudart in place of -lcudart_static");
  }

  /// The first run is the one that is measured.
  Result<ProgramTrial> trial(KernelMode mode, double seconds) {
    std::unique_lock alone(turn_, std::defer_lock);
    std::shared_lock beside(turn_, std::defer_lock);
    if (check_.runs.empty()) {
      alone.lock();
    } else {
      beside.lock();
    }
    if (stop_.stop_requested()) return fail(Errc::cancelled, "stopped before its turn");
    return workspace_.run_program(mode, seconds, stop_);
  }

  Result<void> real_run(std::int64_t number, std::int64_t runs) {
    tell("run " + std::to_string(number) + " of " + std::to_string(runs));
    WARPMIND_TRY(auto one, trial(KernelMode::real, task_.run_seconds));
    check_.runs.push_back(one.run);
    if (number > 1) {
      if (!one.run.passed) {
        refuse(ProgramControl::agreement,
               "it passed, and run " + std::to_string(number) + " did not: " + one.run.reason,
               one.said);
      }
      return {};
    }
    if (!one.run.passed) {
      refuse(ProgramControl::pass, "it does not pass: " + one.run.reason, one.said);
    } else if (one.run.launches == 0) {
      refuse(ProgramControl::kernels,
             "it passes without a launch that can be seen; it must launch kernels through the CUDA "
             "runtime, as a shared library" +
                 std::string(check_.provider == Provider::sim
                                 ? ", and keep PTX in the program (-arch={arch})"
                                 : "") +
                 (one.run.note.empty() ? "" : "; " + one.run.note),
             one.said);
    } else if (const auto idle = workspace_.selection().idle_pattern(one.run.kernels);
               !idle.empty()) {
      refuse(ProgramControl::kernels, "no kernel that it launched is named '" + idle +
                                          "'; these were: " + names_of_kernels(one.run.kernels));
    }
    return {};
  }

  Result<void> null_run() {
    tell("a run whose kernels do nothing");
    const double seconds =
        std::min(task_.run_seconds, kNullRunSeconds + kNullRunFactor * check_.runs.front().wall_s);
    WARPMIND_TRY(auto one, trial(KernelMode::null, seconds));
    check_.null_run = one.run;
    if (one.run.passed) {
      refuse(ProgramControl::null_kernels,
             "it passes even when its kernels do nothing, so its pass rule says nothing about "
             "them; let the program compare what they computed, and name in [pass] what it prints "
             "when that is right",
             one.said);
    } else if (one.run.launches == 0) {
      refuse(ProgramControl::null_kernels,
             "its launches could not be skipped (it ended before the first: " + one.run.reason +
                 "), so nothing is known of its pass rule",
             one.said);
    }
    return {};
  }

  const ProgramTask& task_;
  const ProgramWorkspace& workspace_;
  ProgramCheck& check_;
  const std::stop_token& stop_;
  const ProgramLab::Progress& progress_;
  DeviceTurn& turn_;
};

}  // namespace

Result<std::unique_ptr<ProgramLab>> ProgramLab::create(const config::Settings& settings,
                                                       ProgramPlace place,
                                                       std::shared_ptr<DeviceTurn> turn) {
  WARPMIND_TRY(auto sandbox, make_sandbox(settings));
  WARPMIND_TRY(auto scratch, ScratchRoot::create(settings.lab.scratch_directory));
  return std::unique_ptr<ProgramLab>(
      new ProgramLab(std::move(sandbox), std::move(scratch), std::move(place), std::move(turn)));
}

Result<ProgramCheck> ProgramLab::check(const ProgramTask& task, const std::filesystem::path& folder,
                                       std::int64_t runs, const std::stop_token& stop,
                                       const Progress& progress) const {
  WARPMIND_CHECK(config::validate_program_task(task));
  ProgramCheck check;
  check.name = task.name;
  check.restricted = task.restricted;
  check.provider = place_.provider;
  check.device = place_.device;
  WARPMIND_TRY(const auto workspace,
               ProgramWorkspace::create(*sandbox_, place_, task, folder, scratch_.path()));
  Admission admission(task, workspace, check, stop, progress, *turn_);
  WARPMIND_CHECK(admission.try_controls(std::clamp(runs, kLeastProgramRuns, kMostProgramRuns)));
  check.admitted = check.refused_by == ProgramControl::none;
  return check;
}

}  // namespace warpmind::profilers
