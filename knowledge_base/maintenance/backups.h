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
[[nodiscard]] Result<BackupInfo> create_backup(const OpenBase& base,
                                               const std::filesystem::path& directory,
                                               std::int64_t keep);

/// Oldest first. Errors: not_found without backups.
[[nodiscard]] Result<std::vector<BackupInfo>> list_backups(const StoreLocation& location,
                                                           const std::filesystem::path& directory);

}  // namespace warpmind::knowledge_base
