#pragma once
/// \file
/// Builds and runs a user's program, on a GPU or on the simulator's runtime, with a record of its
/// CUDA calls. The client does that, as the user; the daemon never sees the program.

#include "clients/cli/session.h"
#include "clients/shell_command.h"

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::clients {

/// How the program is built and run.
struct ProgramCommands {
  std::string run;    ///< `./a.out 3`
  std::string build;  ///< with `{source}` and `{program}`; empty = nvcc with our flags
  std::chrono::milliseconds limit{300'000};
  bool keeps_contents = true;  ///< recorded runs keep what buffers hold
};

/// What it runs on.
struct ProgramRuntime {
  bool is_simulated = true;
  std::filesystem::path library;  ///< folder of the simulated runtime, or the recorder's library
  std::string nvcc;               ///< empty = none; then `nvcc_problem` says why
  std::string nvcc_problem;
  std::string nvcc_flags;      ///< what this toolkit's layout needs, as words for the shell
  std::string nvcc_prepended;  ///< the same, for NVCC_PREPEND_FLAGS
  std::vector<std::string> build_environment;  ///< so that a build command finds nvcc, too
  std::string runtime_name;                    ///< the runtime that nvcc links, "libcudart.so.13"
  std::filesystem::path runtime_folder;        ///< of the toolkit's runtime library
  std::string target;                          ///< flags of nvcc
  std::string device;                          ///< the simulated one: key of the device table
};

/// Simulated where there is no GPU, or `simulated`. Errors: unavailable when a library or nvcc is
/// not found, not_found for a device that the table does not have.
[[nodiscard]] Result<ProgramRuntime> program_runtime(const config::Settings& settings,
                                                     bool simulated, const std::string& device);

/// Why a program is run.
enum class RunKind {
  plain,
  recorded,     ///< as plain; with what buffers hold, where that is kept
  again,        ///< to see what changes from run to run; times do
  with_checks,  ///< as recorded, and by the simulator for races and uninitialised reads; at most a
                ///< minute
  without_kernels,  ///< launches do nothing: does the output change? At most a minute
};

class UserProgram {
 public:
  /// `folder` holds what is built; `origin` is the folder of the user's file, for includes.
  UserProgram(ProgramCommands commands, ProgramRuntime runtime, std::filesystem::path folder,
              std::filesystem::path origin, int interrupt)
      : commands_(std::move(commands)),
        runtime_(std::move(runtime)),
        folder_(std::move(folder)),
        origin_(std::move(origin)),
        interrupt_(interrupt) {}

  [[nodiscard]] const ProgramRuntime& runtime() const { return runtime_; }
  /// Whether another source than the user's can be built: not with a build command of the user's
  /// that has no {source} and {program}.
  [[nodiscard]] bool can_build_others() const;
  /// Errors: invalid_argument with the first line of the compiler's text; timeout, cancelled.
  [[nodiscard]] Result<void> build(const std::filesystem::path& source) const;
  /// The program that was built last, with a record in `record`. Errors: as run_shell(), as
  /// sentences about the program; invalid_argument when it fails, timeout when a run that has a
  /// minute takes longer.
  [[nodiscard]] Result<ShellEnd> run(const std::filesystem::path& record,
                                     RunKind kind = RunKind::plain) const;

 private:
  [[nodiscard]] std::filesystem::path program() const { return folder_ / "program"; }
  [[nodiscard]] std::string run_command() const;
  [[nodiscard]] std::vector<std::string> environment_of(const std::filesystem::path& record,
                                                        RunKind kind) const;

  ProgramCommands commands_;
  ProgramRuntime runtime_;
  std::filesystem::path folder_;
  std::filesystem::path origin_;
  int interrupt_;
};

}  // namespace warpmind::clients
