#pragma once
/// \file
/// A program of the build that a test starts, listens to and kills.

#include "base/file.h"

#include <cstddef>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace warpmind::fakes {

/// How a program ended.
struct Ending {
  int signal = 0;      ///< that killed it; 0 = it ended by itself
  int status = 0;      ///< its exit status
  std::string errors;  ///< what it said on standard error, at most 64 KiB
};

/// Killed by the destructor if it still runs. What it writes to descriptor 3 can be read.
class ChildProcess {
 public:
  /// `words` is the program of <build>/bin and its arguments; `environment` is added to ours.
  ChildProcess(std::vector<std::string> words, const std::vector<std::string>& environment = {});
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess();

  [[nodiscard]] pid_t pid() const { return pid_; }
  /// Reads exactly `bytes` of descriptor 3; false at its end.
  [[nodiscard]] bool read(void* into, std::size_t bytes);
  /// SIGKILL, and waits. What it wrote before can still be read.
  void kill();
  /// Waits until it ends by itself.
  Ending wait();

 private:
  pid_t pid_ = -1;
  UniqueFd acks_;
  UniqueFd errors_;
};

/// Runs it to its end.
Ending run(std::vector<std::string> words, const std::vector<std::string>& environment = {});

/// The number in the variable `name`, or `usual`.
int number_from_environment(const char* name, int usual);

}  // namespace warpmind::fakes
