#pragma once
/// \file
/// A copy of an open base that opens as a base of its own.

#include "base/result.h"
#include "knowledge_base/database.h"
#include "knowledge_base/store_location.h"
#include "knowledge_base/watermark.h"

#include <filesystem>

namespace warpmind::knowledge_base {

/// Database and watermark at `target`, by hard links where the file system has them. Writers may go
/// on: the copy holds at least what was acknowledged when it began. `target` appears whole or not
/// at all. Errors: conflict when it exists; as the disk.
[[nodiscard]] Result<WatermarkRecord> copy_base(const Database& database,
                                                const StoreLocation& location,
                                                const std::filesystem::path& target);

/// The newest acknowledged record. Errors: unavailable where no slot can be read.
[[nodiscard]] Result<WatermarkRecord> acknowledged_mark(const StoreLocation& location);

/// Syncs the names in a folder.
[[nodiscard]] Result<void> sync_directory(const std::filesystem::path& directory);
/// Renames and syncs both parents.
[[nodiscard]] Result<void> move_durably(const std::filesystem::path& from,
                                        const std::filesystem::path& to);
/// Removes a tree; one that is not there is gone already.
[[nodiscard]] Result<void> remove_tree(const std::filesystem::path& path);

}  // namespace warpmind::knowledge_base
