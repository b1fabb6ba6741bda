#include "knowledge_base/maintenance/backups.h"

#include "base/file.h"
#include "base/text.h"
#include "knowledge_base/base_copy.h"
#include "knowledge_base/disk_space.h"
#include "knowledge_base/fault_points.h"
#include "knowledge_base/maintenance/backup_directory.h"
#include "knowledge_base/stored_values.h"

#include <chrono>
#include <string>
#include <utility>

namespace warpmind::knowledge_base {

namespace {

namespace fs = std::filesystem;
using Steady = std::chrono::steady_clock;

double seconds_since(Steady::time_point start) {
  return std::chrono::duration<double>(Steady::now() - start).count();
}

/// What is asked for.
struct Order {
  fs::path directory;
  std::int64_t keep = 0;
  WatermarkRecord mark;
};

Result<BackupInfo> back_up(const Database& database, const StoreLocation& location,
                           const Order& order) {
  WARPMIND_TRY(const auto state, StoredValues(database).state());
  if (state.last_sequence < order.mark.last_sequence) {
    return fail(Errc::conflict,
                "the base lacks changes that were acknowledged; a backup of it "
                "would push out one that has them");
  }
  WARPMIND_TRY(auto metadata, encode_mark(order.mark));
  if (fault::seeded(SeededBug::backup_without_mark)) metadata.clear();
  WARPMIND_TRY(const auto engine, open_to_back_up(location, order.directory));
  fault::reached("backup.before_copy");
  rocksdb::BackupID id = 0;
  rocksdb::Status status = engine->CreateNewBackupWithMetadata(rocksdb::CreateBackupOptions(),
                                                               &database.raw(), metadata, &id);
  fault::reached("backup.copied");
  if (status.ok()) status = engine->VerifyBackup(id, true);
  if (status.ok()) status = engine->PurgeOldBackups(static_cast<std::uint32_t>(order.keep));
  rocksdb::BackupInfo made;
  if (status.ok()) status = engine->GetBackupInfo(id, &made);
  if (status.ok()) return info_of(made);
  return fail(to_error(status, "cannot back up to " + order.directory.string()));
}

/// A base that an earlier failure of the disk closed is opened first.
Result<void> require_open(OpenBase& base) {
  const auto look = [](const Database&, const std::string&) -> Result<void> { return {}; };
  if (base.read(look)) return {};
  return base.reopen("the knowledge base was closed");
}

}  // namespace

Result<BackupInfo> create_backup(OpenBase& base, const fs::path& directory, std::int64_t keep) {
  const auto start = Steady::now();
  const auto& location = base.location();
  WARPMIND_CHECK(check_directory(location, directory));
  if (keep < 1) {
    return fail(Errc::invalid_argument,
                "a backup must keep at least 1, not " + std::to_string(keep));
  }
  WARPMIND_CHECK(make_private_directory(directory));
  const auto bytes = size_on_disk(location.database()) + kBackupSlack;
  WARPMIND_CHECK(require_space(location.free_space, directory, bytes, location.reserve_bytes));
  WARPMIND_CHECK(require_open(base));
  // Read before the files are: the backup holds at least this much.
  WARPMIND_TRY(const auto mark, acknowledged_mark(location));
  const auto work = [&](const Database& database, const std::string&) {
    return back_up(database, location, {directory, keep, mark});
  };
  WARPMIND_TRY(auto info, recovering(base, base.read(work)));
  info.seconds = seconds_since(start);
  return info;
}

Result<BackupInfo> checkpoint_to(OpenBase& base, const fs::path& target) {
  const auto start = Steady::now();
  const auto& location = base.location();
  WARPMIND_CHECK(check_outside(location, target, "a second base belongs elsewhere"));
  WARPMIND_CHECK(require_open(base));
  const auto work = [&](const Database& database, const std::string&) {
    return copy_base(database, location, target);
  };
  WARPMIND_TRY(const auto mark, recovering(base, base.read(work)));
  BackupInfo info;
  info.sequence = mark.last_sequence;
  info.at = utc_time_text(location.clock.wall().value / 1000);
  info.bytes = size_on_disk(target);
  info.seconds = seconds_since(start);
  return info;
}

Result<std::vector<BackupInfo>> list_backups(const StoreLocation& location,
                                             const fs::path& directory) {
  WARPMIND_TRY(const auto engine, open_to_read(location, directory));
  std::vector<rocksdb::BackupInfo> found;
  engine->GetBackupInfo(&found);
  std::vector<BackupInfo> backups;
  backups.reserve(found.size());
  for (const auto& backup : found) backups.push_back(info_of(backup));
  return backups;
}

}  // namespace warpmind::knowledge_base
