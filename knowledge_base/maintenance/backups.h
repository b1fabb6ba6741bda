#pragma once
/// \file
/// Backups: incremental, with checksums, each with the watermark of what it holds.

#include "base/result.h"
#include "knowledge_base/maintenance/maintenance.h"
#include "knowledge_base/open_base.h"

#include <cstdint>
#include <filesystem>
#include <vector>

namespace warpmind::knowledge_base {

/// Verified before it counts; then all but the newest `keep` go. Errors: invalid_argument for a
/// directory that is relative or inside the base; unavailable when its disk is nearly full, or the
/// base lacks what was acknowledged.
[[nodiscard]] Result<BackupInfo> create_backup(OpenBase& base,
                                               const std::filesystem::path& directory,
                                               std::int64_t keep);

/// A second base at `target` (base_copy.h). Errors: invalid_argument for a relative path.
[[nodiscard]] Result<BackupInfo> checkpoint_to(OpenBase& base, const std::filesystem::path& target);

/// What reads the files of the open base may find a disk that fails, and leave RocksDB refusing all
/// writes: then the base is opened again, so that no commit pays for it. Returns `result`.
template <class T>
[[nodiscard]] Result<T> recovering(OpenBase& base, Result<T> result) {
  const bool of_the_disk = !result && (result.error().code == Errc::external_failure ||
                                       result.error().code == Errc::unavailable);
  if (!of_the_disk) return result;
  (void)base.reopen(result.error().message);
  return result;
}

/// Oldest first. Errors: not_found without backups.
[[nodiscard]] Result<std::vector<BackupInfo>> list_backups(const StoreLocation& location,
                                                           const std::filesystem::path& directory);

}  // namespace warpmind::knowledge_base
