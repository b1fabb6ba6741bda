#pragma once
/// \file
/// One process a base. A lock file of our own names the holder; RocksDB's LOCK is never opened by
/// us, because closing any descriptor of it would drop RocksDB's own lock.

#include "base/file.h"
#include "base/result.h"

#include <filesystem>

namespace warpmind::knowledge_base {

/// Holds `<directory>/LOCK.pid` until destruction; the kernel lets go of it when the process dies.
class DirectoryLock {
 public:
  /// Errors: unavailable naming the process that holds it.
  [[nodiscard]] static Result<DirectoryLock> acquire(const std::filesystem::path& directory);

 private:
  explicit DirectoryLock(UniqueFd fd) : fd_(std::move(fd)) {}

  UniqueFd fd_;
};

}  // namespace warpmind::knowledge_base
