#pragma once
/// \file
/// One program in a folder of its own: a copy of the user's files, built and run in the sandbox.
/// Each run gets a copy of what was built.

#include "base/file.h"
#include "base/model/program_check.h"
#include "base/model/program_task.h"
#include "base/result.h"
#include "profilers/program/kernel_times.h"
#include "profilers/program/program_place.h"
#include "profilers/sandbox/sandbox.h"

#include <filesystem>
#include <stop_token>
#include <string>

namespace warpmind::profilers {

/// How a build ended. One that fails is a value.
struct ProgramBuild {
  bool succeeded = false;
  std::string reason;       ///< why not, one sentence
  std::string diagnostics;  ///< end of what it wrote
  double wall_s = 0;
};

enum class KernelMode {
  real,
  null,  ///< launches do nothing: the control that a pass rule is worth something
};

/// What one run was, and the end of what it wrote.
struct ProgramTrial {
  ProgramRun run;
  std::string said;
};

/// Threads: one at a time. `sandbox` and `place` must outlive it.
class ProgramWorkspace {
 public:
  /// Copies `folder` below `scratch`. Errors: as config::copy_program_folder(); a kernel pattern.
  [[nodiscard]] static Result<ProgramWorkspace> create(const Sandbox& sandbox,
                                                       const ProgramPlace& place,
                                                       const ProgramTask& task,
                                                       const std::filesystem::path& folder,
                                                       const std::filesystem::path& scratch);

  /// The copy, where files may be changed before build().
  [[nodiscard]] std::filesystem::path files() const { return job_.path() / "work"; }
  /// The program that the run command starts; empty when its first word is no file of the folder.
  [[nodiscard]] std::filesystem::path program() const;
  [[nodiscard]] const KernelSelection& selection() const { return selection_; }

  /// Errors (of both): cancelled; external_failure when our own files or the sandbox fail.
  [[nodiscard]] Result<ProgramBuild> build(const std::stop_token& stop) const;
  /// `seconds`: most time, s.
  [[nodiscard]] Result<ProgramTrial> run_program(KernelMode mode, double seconds,
                                                 const std::stop_token& stop) const;

 private:
  ProgramWorkspace(const Sandbox& sandbox, const ProgramPlace& place, ProgramTask task,
                   KernelSelection selection, ScratchDirectory job)
      : sandbox_(&sandbox),
        place_(&place),
        task_(std::move(task)),
        selection_(std::move(selection)),
        job_(std::move(job)) {}
  [[nodiscard]] std::vector<std::string> shell(const std::filesystem::path& folder,
                                               const std::string& line) const;
  /// What the build left, anew: no run finds what an earlier one wrote.
  [[nodiscard]] Result<void> make_run_folder() const;
  [[nodiscard]] std::filesystem::path run_folder() const { return job_.path() / "run"; }
  [[nodiscard]] std::vector<std::string> run_environment(KernelMode mode) const;
  [[nodiscard]] std::filesystem::path record() const { return job_.path() / "record" / "kernels"; }
  [[nodiscard]] std::filesystem::path calls() const { return job_.path() / "record" / "calls"; }
  void take_record(KernelMode mode, ProgramRun& run) const;

  const Sandbox* sandbox_;
  const ProgramPlace* place_;
  ProgramTask task_;
  KernelSelection selection_;
  ScratchDirectory job_;
};

}  // namespace warpmind::profilers
