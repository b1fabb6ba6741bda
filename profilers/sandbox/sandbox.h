#pragma once
/// \file
/// bubblewrap around everything that touches a candidate: an allow-list of mounts, all namespaces
/// of its own, no capability, a system-call filter, an environment made from nothing.
///
/// A job directory is seen inside as /job. The daemon's socket, base and keys are mounted nowhere.
/// What stays exposed is the NVIDIA driver's ioctl surface, for runners.

#include "base/result.h"
#include "config/settings.h"
#include "profilers/process/spawn.h"
#include "profilers/sandbox/control_groups.h"
#include "profilers/sandbox/layers.h"
#include "profilers/sandbox/seccomp_filter.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// Where the job directory appears inside.
inline constexpr const char* kJobMount = "/job";

/// What one sandboxed child may see besides the system's libraries, all at the same path inside.
struct SandboxedCommand {
  std::vector<std::string> command;  ///< paths as seen inside (see Sandbox::inside)
  std::filesystem::path job_directory;
  std::vector<std::filesystem::path> writable;   ///< directories below job_directory, for runners
  std::vector<std::filesystem::path> read_only;  ///< files and directories
  std::vector<std::string> environment;          ///< added to PATH, HOME, TMPDIR and LANG
  ProcessLimits limits;
  std::optional<std::uint64_t> memory_bytes;  ///< of all processes; else most_memory_bytes()
  std::chrono::milliseconds kill_grace = kKillGrace;
};

/// Threads included; nvcc needs some ten processes, a runner some threads a core.
inline constexpr std::uint64_t kMostProcesses = 1024;

enum class SandboxRole {
  compiler,        ///< no device, no network; job directory writable
  judge,           ///< as compiler
  runner,          ///< devices; job directory read-only but for `writable`; cannot start processes
  checked_runner,  ///< as runner, below a tool that starts it and talks to it by loopback
};

class Sandbox {
 public:
  /// Finds bubblewrap and runs a trial. Errors: unavailable naming the missing facility and the
  /// remedy, unless `settings.unsafe_no_sandbox`: then commands run bare and enabled() is false.
  [[nodiscard]] static Result<Sandbox> create(const config::LabSettings& settings);

  [[nodiscard]] bool enabled() const { return !bubblewrap_.empty(); }
  /// "bubblewrap 0.8.0", or why there is none.
  [[nodiscard]] const std::string& description() const { return description_; }

  /// What stands around a job here, and what does not, and why.
  [[nodiscard]] SandboxLayers layers() const;

  /// The order that runs `command` in `role`. Without a sandbox: the same command bare, in the job
  /// directory, with the same environment and limits. Errors: external_failure.
  [[nodiscard]] Result<ProcessOrder> wrap(SandboxRole role, SandboxedCommand command) const;

  /// The path by which a sandboxed command knows `path`, a path in or under `job_directory`.
  [[nodiscard]] std::filesystem::path inside(const std::filesystem::path& job_directory,
                                             const std::filesystem::path& path) const;

 private:
  Sandbox(std::filesystem::path bubblewrap, bool recent, std::string description)
      : bubblewrap_(std::move(bubblewrap)), recent_(recent), description_(std::move(description)) {}
  /// Descriptors, group and limits of a sandboxed job.
  [[nodiscard]] Result<void> equip(const SandboxedCommand& command, UniqueFd filter,
                                   ProcessOrder& order) const;
  [[nodiscard]] SandboxLayer process_layer() const;

  std::filesystem::path bubblewrap_;  ///< empty = no sandbox
  bool recent_ = false;
  std::string description_;
  ControlGroups groups_;
  std::filesystem::path limiter_;  ///< prlimit, where no group bounds processes; empty = not used
};

/// First executable regular file called `name` in the directories of `search_path`, else empty.
[[nodiscard]] std::filesystem::path find_program(std::string_view name,
                                                 std::string_view search_path);

}  // namespace warpmind::profilers
