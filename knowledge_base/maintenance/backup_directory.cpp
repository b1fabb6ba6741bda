#include "knowledge_base/maintenance/backup_directory.h"

#include "base/file.h"
#include "base/sequence.h"
#include "base/text.h"
#include "knowledge_base/database.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/sealed_json.h"

#include <algorithm>
#include <ctime>
#include <system_error>
#include <vector>

namespace warpmind::knowledge_base {
namespace {

namespace fs = std::filesystem;

rocksdb::Env* env_of(const StoreLocation& location) {
  return location.env != nullptr ? location.env : rocksdb::Env::Default();
}

rocksdb::BackupEngineOptions engine_options(const StoreLocation& location,
                                            const fs::path& directory) {
  rocksdb::BackupEngineOptions options(directory.string(), env_of(location));
  options.sync = true;
  options.max_background_operations = 1;
  return options;
}

std::string names_of(const std::vector<rocksdb::BackupInfo>& backups) {
  if (backups.empty()) return "none";
  return join_text(backups, ", ", [](const rocksdb::BackupInfo& backup) {
    return std::to_string(backup.backup_id);
  });
}

/// Links are followed as far as the path exists.
fs::path real_path(const fs::path& path) {
  std::error_code ec;
  auto real = fs::weakly_canonical(path, ec);
  return ec ? path.lexically_normal() : real;
}

}  // namespace

Result<std::string> encode_mark(const WatermarkRecord& mark) {
  return seal(
      {{"sequence", mark.last_sequence}, {"rows", mark.row_count}, {"chain", to_hex(mark.chain)}},
      "mark of a backup");
}

Result<WatermarkRecord> decode_mark(const std::string& bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "mark of a backup"));
  WatermarkRecord mark;
  WARPMIND_TRY(mark.last_sequence, member(payload, "sequence", mark.last_sequence));
  WARPMIND_TRY(mark.row_count, member(payload, "rows", mark.row_count));
  WARPMIND_TRY(const auto chain, member<std::string>(payload, "chain", {}));
  WARPMIND_TRY(mark.chain, digest_from_hex(chain));
  return mark;
}

BackupInfo info_of(const rocksdb::BackupInfo& found) {
  BackupInfo info;
  info.id = found.backup_id;
  info.at = utc_time_text(found.timestamp);
  info.bytes = static_cast<std::int64_t>(found.size);
  const auto mark = decode_mark(found.app_metadata);
  if (mark) info.sequence = mark->last_sequence;
  return info;
}

Result<void> check_outside(const StoreLocation& location, const fs::path& directory,
                           std::string_view what) {
  if (!directory.is_absolute()) {
    return fail(Errc::invalid_argument,
                "'" + directory.string() + "' is a relative path; give an absolute one");
  }
  const auto inside = real_path(directory).lexically_relative(real_path(location.directory));
  if (!inside.empty() && *inside.begin() != "..") {
    return fail(Errc::invalid_argument, directory.string() + " is inside the knowledge base; " +
                                            std::string(what) + ", best on another disk");
  }
  return {};
}

Result<void> check_directory(const StoreLocation& location, const fs::path& directory) {
  return check_outside(location, directory, "backups belong elsewhere");
}

Result<BackupWriter> open_to_back_up(const StoreLocation& location, const fs::path& directory) {
  WARPMIND_CHECK(check_directory(location, directory));
  WARPMIND_CHECK(make_private_directory(directory));
  rocksdb::BackupEngine* raw = nullptr;
  auto status =
      rocksdb::BackupEngine::Open(env_of(location), engine_options(location, directory), &raw);
  BackupWriter engine(raw);
  if (status.ok()) status = engine->GarbageCollect();
  if (!status.ok())
    return fail(to_error(status, "cannot open the backups in " + directory.string()));
  return engine;
}

Result<BackupReader> open_to_read(const StoreLocation& location, const fs::path& directory) {
  WARPMIND_CHECK(check_directory(location, directory));
  std::error_code ec;
  if (!fs::is_directory(directory / "meta", ec)) {
    return fail(Errc::not_found, "there are no backups in " + directory.string());
  }
  rocksdb::BackupEngineReadOnly* raw = nullptr;
  const auto status = rocksdb::BackupEngineReadOnly::Open(
      env_of(location), engine_options(location, directory), &raw);
  if (!status.ok())
    return fail(to_error(status, "cannot open the backups in " + directory.string()));
  return BackupReader(raw);
}

Result<rocksdb::BackupInfo> choose_backup(const rocksdb::BackupEngineReadOnly& engine,
                                          std::int64_t id) {
  if (id < 0) return fail(Errc::invalid_argument, "backups are numbered from 1; 0 is the newest");
  std::vector<rocksdb::BackupInfo> sound;
  engine.GetBackupInfo(&sound);
  std::vector<rocksdb::BackupID> damaged;
  engine.GetCorruptedBackups(&damaged);
  rocksdb::BackupID wanted = static_cast<rocksdb::BackupID>(id);
  if (id == 0) {
    for (const auto& backup : sound) wanted = std::max(wanted, backup.backup_id);
    for (const auto other : damaged) wanted = std::max(wanted, other);
  }
  for (const auto& backup : sound) {
    if (backup.backup_id == wanted) return backup;
  }
  if (contains(damaged, wanted)) {
    return fail(Errc::corrupt_data, "backup " + std::to_string(wanted) +
                                        " is damaged; sound ones here: " + names_of(sound));
  }
  return fail(Errc::not_found,
              "there is no backup " + std::to_string(wanted) + "; here: " + names_of(sound));
}

}  // namespace warpmind::knowledge_base
