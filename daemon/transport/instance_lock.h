#pragma once
/// \file
/// One daemon a state directory: an flock that dies with its holder.

#include "base/file.h"
#include "base/result.h"

#include <filesystem>

namespace warpmind::daemon {

/// Held until destroyed. The file stays: removing it would let two holders lock two files.
class InstanceLock {
 public:
  /// Creates `path` (0600) and locks it. Blocks for seconds while a child of a daemon that was
  /// killed still has the lock. Errors: conflict naming the pid of the holder; external_failure.
  [[nodiscard]] static Result<InstanceLock> acquire(const std::filesystem::path& path);

 private:
  explicit InstanceLock(UniqueFd fd) : fd_(std::move(fd)) {}
  UniqueFd fd_;
};

}  // namespace warpmind::daemon
