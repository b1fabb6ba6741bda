#pragma once
/// \file
/// Starts warpmind-worker as the lab does: jobs on its standard input, reports on descriptor 3.

#include "base/file.h"
#include "profilers/job/job_codec.h"

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace warpmind::profilers::testing {

/// A running program with pipes. `arguments[0]` is its path; its working directory is `directory`.
class PipedProcess {
 public:
  /// `reply_fd` is where the program writes its replies: 1, or 3 for the worker.
  PipedProcess(const std::vector<std::string>& arguments, const std::filesystem::path& directory,
               int reply_fd);
  PipedProcess(const PipedProcess&) = delete;
  PipedProcess& operator=(const PipedProcess&) = delete;
  ~PipedProcess();

  void send(const std::string& line);
  /// nullopt at end of file.
  std::optional<std::string> receive();
  /// Ends its input and returns the exit status, or -signal.
  int finish();

 private:
  UniqueFd input_;
  UniqueFd output_;
  std::string pending_;
  pid_t pid_ = -1;
};

}  // namespace warpmind::profilers::testing
