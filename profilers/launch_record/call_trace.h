#pragma once
/// \file
/// Writes the calls of a running program to a file, from inside of that program.

#include "base/file.h"
#include "profilers/launch_record/cuda_call.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>

namespace warpmind::profilers {

/// Threads: any.
class CallTrace {
 public:
  /// `target`: a file, which is begun anew; empty = nothing is written. The file is opened by the
  /// first call that is written, so that a program that forks before it uses CUDA leaves one
  /// record.
  CallTrace(std::string target, std::string recorder);

  [[nodiscard]] bool is_on() const { return !target_.empty(); }
  /// Each line in one write, so that a program that dies later has said it. Stops after kMostCalls.
  /// Errors: unavailable, the first time that the file cannot be written; nothing is written then.
  [[nodiscard]] Result<void> write(const CudaCall& call);

 private:
  [[nodiscard]] Result<void> open();
  [[nodiscard]] Result<void> write_line(const CudaCall& call);

  std::mutex mutex_;
  std::string target_;
  std::string recorder_;
  UniqueFd file_;
  std::size_t calls_ = 0;
  bool failed_ = false;
};

}  // namespace warpmind::profilers
