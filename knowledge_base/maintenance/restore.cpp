#include "knowledge_base/maintenance/restore.h"

#include "base/file.h"
#include "knowledge_base/base_copy.h"
#include "knowledge_base/disk_space.h"
#include "knowledge_base/fault_points.h"
#include "knowledge_base/maintenance/backup_directory.h"
#include "knowledge_base/maintenance/verify.h"
#include "knowledge_base/staged_restore.h"
#include "knowledge_base/store_session.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>

namespace warpmind::knowledge_base {
namespace {

namespace fs = std::filesystem;
using Steady = std::chrono::steady_clock;

/// Files and folders, so that the restored base survives power loss.
Result<void> sync_tree(const fs::path& root) {
  std::error_code ec;
  for (fs::recursive_directory_iterator entry(root, ec), end; !ec && entry != end;
       entry.increment(ec)) {
    const int flags = entry->is_directory(ec) ? O_RDONLY | O_DIRECTORY : O_RDONLY;
    const UniqueFd file(::open(entry->path().c_str(), flags | O_CLOEXEC));
    if (!file || ::fsync(file.get()) != 0) {
      return fail(Errc::external_failure,
                  "cannot sync " + entry->path().string() + ": " + std::strerror(errno));
    }
  }
  if (ec) return fail(Errc::external_failure, "cannot list " + root.string() + ": " + ec.message());
  return sync_directory(root);
}

/// Opens what was restored as the daemon would, and looks at all of it.
Result<std::int64_t> check_restored(const StoreLocation& location) {
  WARPMIND_TRY(const auto session, open_session(location));
  if (!session.note.empty()) return fail(Errc::corrupt_data, session.note);
  WARPMIND_TRY(const auto report, verify_base(*session.database, location, VerifyDepth::files));
  if (report.problems == 0) return session.state.last_sequence;
  return fail(Errc::corrupt_data, "the restored base has " + std::to_string(report.problems) +
                                      " problems, the first: " + report.notes.front());
}

}  // namespace

Result<BackupInfo> restore_backup(const StoreLocation& location, const fs::path& directory,
                                  std::int64_t id, const fs::path& target) {
  const auto start = Steady::now();
  std::error_code ec;
  if (!target.is_absolute()) {
    return fail(Errc::invalid_argument,
                "'" + target.string() + "' is a relative path; give an absolute one");
  }
  if (fs::exists(fs::symlink_status(target, ec))) {
    return fail(Errc::conflict, target.string() + " exists; name a folder that does not");
  }
  WARPMIND_TRY(const auto engine, open_to_read(location, directory));
  WARPMIND_TRY(const auto chosen, choose_backup(*engine, id));
  WARPMIND_TRY(const auto mark, decode_mark(chosen.app_metadata));
  auto partial = target;
  if (!fault::seeded(SeededBug::restore_in_the_open)) partial += ".partial";
  WARPMIND_CHECK(remove_tree(partial));
  WARPMIND_CHECK(make_private_directory(partial));
  WARPMIND_CHECK(require_space(location.free_space, partial,
                               static_cast<std::int64_t>(chosen.size) + kBackupSlack,
                               location.reserve_bytes));
  StoreLocation restored = location;
  restored.directory = partial;
  const std::string database = restored.database().string();
  auto status = engine->VerifyBackup(chosen.backup_id, true);
  fault::reached("restore.before_copy");
  if (status.ok()) {
    status = engine->RestoreDBFromBackup(rocksdb::RestoreOptions(), chosen.backup_id, database,
                                         database);
  }
  if (!status.ok()) {
    return fail(to_error(status, "cannot restore backup " + std::to_string(chosen.backup_id)));
  }
  WARPMIND_CHECK(write_watermark(restored.watermark(), mark));
  fault::reached("restore.copied");
  WARPMIND_TRY(const auto sequence, check_restored(restored));
  WARPMIND_CHECK(sync_tree(partial));
  fault::reached("restore.before_rename");
  if (partial != target) WARPMIND_CHECK(move_durably(partial, target));
  BackupInfo info = info_of(chosen);
  info.sequence = sequence;
  info.seconds = std::chrono::duration<double>(Steady::now() - start).count();
  return info;
}

Result<BackupInfo> restore_over(OpenBase& base, const fs::path& directory, std::int64_t id) {
  const auto start = Steady::now();
  const auto& location = base.location();
  WARPMIND_CHECK(remove_tree(staging_area(location)));
  WARPMIND_TRY(auto info, restore_backup(location, directory, id, staging_area(location)));
  WARPMIND_CHECK(stage_restore(location, free_name_beside(location)));
  WARPMIND_CHECK(base.while_closed([&location] { return finish_staged_restore(location); }));
  info.seconds = std::chrono::duration<double>(Steady::now() - start).count();
  return info;
}

}  // namespace warpmind::knowledge_base
