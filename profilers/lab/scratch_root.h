#pragma once
/// \file
/// The directory under which runners get their job directories, in memory where possible.

#include "base/file.h"
#include "base/result.h"

#include <filesystem>

namespace warpmind::profilers {

/// Fresh, private, removed at the end. Roots that a killed process left behind are removed by the
/// next one: each living root holds a lock.
class ScratchRoot {
 public:
  /// `parent` empty = /dev/shm where it is writable, holds 1 GiB and allows execution, else the
  /// temporary folder.
  /// Errors: external_failure, unavailable (disk full).
  [[nodiscard]] static Result<ScratchRoot> create(const std::filesystem::path& parent);

  [[nodiscard]] const std::filesystem::path& path() const { return directory_.path(); }
  /// Bytes that can still be written. 0 when unknown.
  [[nodiscard]] std::uint64_t free_bytes() const;

 private:
  ScratchRoot(ScratchDirectory directory, UniqueFd lock)
      : lock_(std::move(lock)), directory_(std::move(directory)) {}

  UniqueFd lock_;  // before directory_: held until the files are gone
  ScratchDirectory directory_;
};

}  // namespace warpmind::profilers
