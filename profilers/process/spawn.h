#pragma once
/// \file
/// Starts a child process with exactly the environment, descriptors and limits that it was given,
/// and owns it until it is reaped.

#include "base/file.h"
#include "base/result.h"
#include "profilers/process/job_group.h"
#include "profilers/process/stuck_process.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace warpmind::profilers {

/// Resource limits of the child (setrlimit). Core files are always off.
struct ProcessLimits {
  std::optional<std::uint64_t> address_space_bytes;
  std::optional<std::uint64_t> file_bytes;
  std::optional<std::uint64_t> processes;  ///< counts every process of the user
  std::optional<std::uint64_t> open_files;
  int niceness = 0;  ///< 0 = the daemon's own
};

/// Of what only computes on processors: a runner that is timed goes first.
inline constexpr int kBackgroundNiceness = 5;

/// A context with allocations is torn down within 0.3 s on an H200.
inline constexpr auto kKillGrace = std::chrono::seconds(10);

/// What to start. Nothing is inherited but what is named here.
struct ProcessOrder {
  std::vector<std::string> command;      ///< [0] is an absolute path
  std::vector<std::string> environment;  ///< "NAME=value"
  std::filesystem::path working_directory;
  ProcessLimits limits;
  /// Descriptors handed to the child as 4, 5, … in this order (3 is the report channel).
  std::vector<UniqueFd> inherited;
  /// Where bubblewrap writes which process is the first of the child's own namespace
  /// (--info-fd). Empty = the child has no namespace of its own.
  UniqueFd namespace_report;
  JobGroup group;  ///< the child joins it before it becomes `command`
  /// What SIGKILL may take. A process that waits inside a driver can take for ever.
  std::chrono::milliseconds kill_grace = kKillGrace;
};

enum class EndKind { exited, signalled, deadline, cancelled, output_limit };

/// How a child ended. A wrapper such as bubblewrap reports a signal as exit code 128 + signal.
struct ProcessEnd {
  EndKind kind = EndKind::exited;
  int code = 0;  ///< exit code, or signal number
  bool operator==(const ProcessEnd&) const = default;

  [[nodiscard]] bool success() const { return kind == EndKind::exited && code == 0; }
  /// Signal that ended the child, directly or as 128 + n; 0 = none.
  [[nodiscard]] int signal() const;
};

/// "exited with code 3", "was killed by signal 11 (Segmentation fault)", "ran out of time", …
[[nodiscard]] std::string describe(const ProcessEnd& end);

using Deadline = std::chrono::steady_clock::time_point;

/// A running child in a process group of its own, often in a namespace of its own. The destructor
/// kills both and reaps.
///
/// The child also dies with the thread that started it (PR_SET_PDEATHSIG): start long-lived
/// children from a thread that lives at least as long.
class Child {
 public:
  /// Parent's ends of the child's channels; all non-blocking. `report` is the child's descriptor 3.
  struct Channels {
    UniqueFd input;
    UniqueFd output;
    UniqueFd diagnostics;
    UniqueFd report;
  };

  /// Errors: not_found if command[0] is not there; external_failure if the system refuses.
  [[nodiscard]] static Result<Child> start(ProcessOrder order);

  Child(Child&& other) noexcept;
  Child& operator=(Child&& other) noexcept;
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child();

  [[nodiscard]] pid_t pid() const { return pid_; }
  [[nodiscard]] Channels& channels() { return channels_; }
  /// Reaps without blocking; nullopt while it runs.
  [[nodiscard]] std::optional<ProcessEnd> poll_end();
  /// Becomes readable when the child has ended.
  [[nodiscard]] int end_descriptor() const { return pidfd_.get(); }
  /// SIGKILL to the whole group and to the first process of the namespace, then waits until the
  /// last process of both is gone, at most for the order's grace: see stuck(). Safe after the end.
  ProcessEnd kill();
  /// What outlived kill(); null = nothing.
  [[nodiscard]] const std::shared_ptr<StuckProcess>& stuck() const { return stuck_; }

 private:
  Child(pid_t pid, UniqueFd pidfd, Channels channels);
  void record(int status);
  void adopt_namespace(UniqueFd report);
  /// Waits for the end of everything; false when the grace is over.
  bool wait_for_end();

  pid_t pid_ = -1;
  UniqueFd pidfd_;
  UniqueFd namespace_;  ///< pidfd of its first process
  JobGroup group_;
  std::chrono::milliseconds grace_ = kKillGrace;
  Channels channels_;
  std::optional<ProcessEnd> end_;
  std::shared_ptr<StuckProcess> stuck_;
};

}  // namespace warpmind::profilers
