#pragma once
/// \file
/// RocksDB's backup engine on one directory: how it is opened, and what a backup says of itself.

#include "base/result.h"
#include "knowledge_base/maintenance/maintenance.h"
#include "knowledge_base/store_location.h"
#include "knowledge_base/watermark.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include <rocksdb/utilities/backup_engine.h>

namespace warpmind::knowledge_base {

/// Manifest, options and metadata of a backup, about.
inline constexpr std::int64_t kBackupSlack = 1024LL * 1024;

/// `what` begins the advice of the message. Errors: invalid_argument for a directory that is
/// relative or inside the base.
[[nodiscard]] Result<void> check_outside(const StoreLocation& location,
                                         const std::filesystem::path& directory,
                                         std::string_view what);
/// The same for a folder of backups.
[[nodiscard]] Result<void> check_directory(const StoreLocation& location,
                                           const std::filesystem::path& directory);

using BackupWriter = std::unique_ptr<rocksdb::BackupEngine>;
using BackupReader = std::unique_ptr<rocksdb::BackupEngineReadOnly>;

/// Makes the directory, and removes what a crash left of an unfinished backup.
[[nodiscard]] Result<BackupWriter> open_to_back_up(const StoreLocation& location,
                                                   const std::filesystem::path& directory);
/// Errors: not_found without backups.
[[nodiscard]] Result<BackupReader> open_to_read(const StoreLocation& location,
                                                const std::filesystem::path& directory);

/// The backup that was asked for; 0 = the newest. A damaged one is never replaced by an older one
/// in silence. Errors: not_found; corrupt_data.
[[nodiscard]] Result<rocksdb::BackupInfo> choose_backup(const rocksdb::BackupEngineReadOnly& engine,
                                                        std::int64_t id);

/// The watermark travels as the metadata of the backup.
[[nodiscard]] Result<std::string> encode_mark(const WatermarkRecord& mark);
[[nodiscard]] Result<WatermarkRecord> decode_mark(const std::string& bytes);

[[nodiscard]] BackupInfo info_of(const rocksdb::BackupInfo& found);

}  // namespace warpmind::knowledge_base
