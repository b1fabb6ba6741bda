#pragma once
/// \file
/// A process tree that SIGKILL has not ended: its threads wait inside a driver.

#include "base/file.h"
#include "profilers/process/job_group.h"

#include <sys/types.h>

namespace warpmind::profilers {

/// Owns what is left of a child until it ends. Whoever holds it asks gone() now and then.
class StuckProcess {
 public:
  /// `child` was started by this process and not waited for (-1 = it was); `init` is the first
  /// process of its namespace. Descriptors are pidfds, either may be empty.
  StuckProcess(pid_t child, UniqueFd child_fd, UniqueFd init, JobGroup group);
  ~StuckProcess();
  StuckProcess(const StuckProcess&) = delete;
  StuckProcess& operator=(const StuckProcess&) = delete;

  /// Whether everything has ended. Reaps; never blocks.
  [[nodiscard]] bool gone();

 private:
  pid_t child_;
  UniqueFd child_fd_;
  UniqueFd init_;
  JobGroup group_;
};

/// Whether the process of `pidfd` has ended within `timeout_ms`. An empty descriptor has.
[[nodiscard]] bool has_ended(const UniqueFd& pidfd, int timeout_ms);

}  // namespace warpmind::profilers
