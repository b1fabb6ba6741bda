#include "knowledge_base/maintenance/maintenance.h"

#include "knowledge_base/base_copy.h"
#include "knowledge_base/maintenance/backup_directory.h"
#include "knowledge_base/maintenance/backups.h"
#include "knowledge_base/maintenance/old_lessons.h"
#include "knowledge_base/maintenance/rebuild.h"
#include "knowledge_base/maintenance/replay.h"
#include "knowledge_base/maintenance/restore.h"
#include "knowledge_base/maintenance/verify.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/retrieval/retrieval.h"

#include <utility>

#include <rocksdb/db.h>

namespace warpmind::knowledge_base {
namespace {

constexpr const char* kBusy =
    "another maintenance operation runs on this knowledge base; try again when it has ended";

}  // namespace

Result<Maintenance::Turn> Maintenance::take_turn() const {
  Turn turn(busy_, std::try_to_lock);
  if (!turn.owns_lock()) return fail(Errc::unavailable, kBusy);
  return turn;
}

Result<VerifyReport> Maintenance::verify(bool deep, const std::stop_token& stop) const {
  return base_.read([&](const Database& database, const std::string&) {
    return verify_base(database, base_.location(), deep ? VerifyDepth::files : VerifyDepth::records,
                       stop);
  });
}

Result<RebuildReport> Maintenance::rebuild(const std::stop_token& stop) {
  WARPMIND_TRY(const auto turn, take_turn());
  WARPMIND_TRY(auto report, rebuild_projections(base_, stop));
  if (report.identical) {
    retrieval_.embed_again();
  } else {
    WARPMIND_CHECK(retrieval_.reload());
  }
  return report;
}

Result<void> Maintenance::finish_interrupted() {
  WARPMIND_CHECK(remove_tree(replay_folder(base_.location())));
  WARPMIND_TRY(const bool owed, rebuild_is_owed(base_));
  if (!owed) return {};
  WARPMIND_CHECK(teach_old_episodes(base_));
  WARPMIND_TRY(const auto report, rebuild());
  (void)report;
  return {};
}

Result<BackupInfo> Maintenance::backup(const std::filesystem::path& directory, std::int64_t keep) {
  WARPMIND_TRY(const auto turn, take_turn());
  return create_backup(base_, directory, keep);
}

Result<std::vector<BackupInfo>> Maintenance::backups(const std::filesystem::path& directory) const {
  return list_backups(base_.location(), directory);
}

Result<BackupInfo> Maintenance::restore(const std::filesystem::path& directory, std::int64_t id,
                                        const std::filesystem::path& target) const {
  WARPMIND_TRY(const auto turn, take_turn());
  WARPMIND_CHECK(check_outside(base_.location(), target, "a second base belongs elsewhere"));
  return restore_backup(base_.location(), directory, id, target);
}

Result<BackupInfo> Maintenance::restore_here(const std::filesystem::path& directory,
                                             std::int64_t id) {
  WARPMIND_TRY(const auto turn, take_turn());
  WARPMIND_TRY(auto info, restore_over(base_, directory, id));
  WARPMIND_CHECK(retrieval_.reload());
  return info;
}

Result<BackupInfo> Maintenance::checkpoint(const std::filesystem::path& target) const {
  WARPMIND_TRY(const auto turn, take_turn());
  return checkpoint_to(base_, target);
}

Result<void> Maintenance::compact() {
  WARPMIND_TRY(const auto turn, take_turn());
  return base_.read([](const Database& database, const std::string&) -> Result<void> {
    for (const auto& spec : kColumnFamilies) {
      const auto status = database.raw().CompactRange(
          rocksdb::CompactRangeOptions(), database.column(spec.family), nullptr, nullptr);
      if (!status.ok()) return fail(to_error(status, "cannot compact the knowledge base"));
    }
    return {};
  });
}

}  // namespace warpmind::knowledge_base
