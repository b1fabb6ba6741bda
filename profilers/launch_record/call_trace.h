#pragma once
/// \file
/// Writes the calls of a running program to a file, from inside of that program.

#include "base/file.h"
#include "profilers/launch_record/buffer_contents.h"
#include "profilers/launch_record/cuda_call.h"

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
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
  /// From now on what buffers hold when a launch gets them is kept in files beside the record.
  /// `read` is called by write(), in the thread that calls that.
  void keep_contents(MemoryReader read);
  /// Each line in one write, so that a program that dies later has said it. Stops after kMostCalls.
  /// Errors: unavailable, the first time that the file cannot be written; nothing is written then.
  [[nodiscard]] Result<void> write(const CudaCall& call);

 private:
  [[nodiscard]] Result<void> open();
  [[nodiscard]] Result<void> write_line(const CudaCall& call);
  [[nodiscard]] Result<void> write_counted(const CudaCall& call);

  std::mutex mutex_;
  std::string target_;
  std::string recorder_;
  UniqueFd file_;
  std::optional<ContentsKeeper> contents_;
  std::size_t calls_ = 0;
  bool failed_ = false;
};

}  // namespace warpmind::profilers
