#pragma once
/// \file
/// A backup becomes a base again.

#include "base/result.h"
#include "knowledge_base/maintenance/maintenance.h"
#include "knowledge_base/open_base.h"

#include <cstdint>
#include <filesystem>

namespace warpmind::knowledge_base {

/// A base at `target`, which must not exist: copied, synced, opened, verified, then renamed.
/// `id` 0 = the newest. Errors: not_found; corrupt_data when the backup is damaged (it says which
/// is not).
[[nodiscard]] Result<BackupInfo> restore_backup(const StoreLocation& location,
                                                const std::filesystem::path& directory,
                                                std::int64_t id,
                                                const std::filesystem::path& target);

/// In the place of the open base. What it held before is kept beside it. A crash on the way leaves
/// the old base or the new one (staged_restore.h).
[[nodiscard]] Result<BackupInfo> restore_over(OpenBase& base,
                                              const std::filesystem::path& directory,
                                              std::int64_t id);

}  // namespace warpmind::knowledge_base
