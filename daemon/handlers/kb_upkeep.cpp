#include "daemon/handlers/kb_arguments.h"
#include "daemon/handlers/kb_handlers.h"
#include "daemon/protocol/knowledge_messages.h"
#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/maintenance/maintenance.h"

namespace warpmind::daemon {
namespace {

using knowledge_base::BackupInfo;
using knowledge_base::KnowledgeBase;
using knowledge_base::Maintenance;
using namespace protocol;  // NOLINT(google-build-using-namespace): the messages of one group

constexpr std::int64_t kDefaultKeep = 7;
constexpr std::int64_t kMostKept = 1000;

KbBackup backup_of(BackupInfo info) {
  return {info.id, info.sequence, std::move(info.at), info.bytes, info.seconds};
}

Result<KbBackup> reported(Result<BackupInfo> info) {
  if (!info) return fail(std::move(info).error());
  return backup_of(std::move(*info));
}

Result<KbVerifyResult> verify(const Maintenance& maintenance, bool deep,
                              const std::stop_token& stop) {
  WARPMIND_TRY(auto report, maintenance.verify(deep, stop));
  return KbVerifyResult{report.records, report.changes, report.problems, std::move(report.notes),
                        report.seconds};
}

Result<KbRebuildResult> rebuild(Maintenance& maintenance, const std::stop_token& stop) {
  WARPMIND_TRY(auto report, maintenance.rebuild(stop));
  return KbRebuildResult{report.changes, report.records, report.identical,
                         std::move(report.differences), report.seconds};
}

Result<KbBackup> backup(Maintenance& maintenance, const KbBackupParams& params) {
  WARPMIND_TRY(const auto directory, writable_path("directory", params.directory));
  WARPMIND_TRY(const auto keep, within("keep", params.keep.value_or(kDefaultKeep), 1, kMostKept));
  return reported(maintenance.backup(directory, keep));
}

Result<KbBackupsResult> backups(const Maintenance& maintenance, const std::string& text) {
  WARPMIND_TRY(const auto directory, path_of("directory", text));
  WARPMIND_TRY(auto found, maintenance.backups(directory));
  KbBackupsResult result;
  for (auto& info : found) result.backups.push_back(backup_of(std::move(info)));
  return result;
}

Result<KbBackup> restore(const KnowledgeAccess& access, const KbRestoreParams& params) {
  Maintenance& maintenance = access.base.maintenance();
  WARPMIND_TRY(const auto directory, path_of("directory", params.directory));
  WARPMIND_TRY(const auto id, within("id", params.id, 0, INT64_MAX));
  if (params.replace != params.target.empty()) {
    return fail(Errc::invalid_argument,
                "kb.restore needs one of 'target' (a new folder) and 'replace' (in place of the "
                "open base)");
  }
  if (!params.replace) {
    WARPMIND_TRY(const auto target, writable_path("target", params.target));
    return reported(maintenance.restore(directory, id, target));
  }
  if (access.jobs_at_work()) {
    return fail(Errc::conflict,
                "jobs wait or run, and the backup does not know them; cancel them or let them end "
                "first");
  }
  return reported(maintenance.restore_here(directory, id));
}

Result<KbCompactResult> compact(KnowledgeBase& base) {
  WARPMIND_TRY(const auto before, base.store().statistics());
  WARPMIND_CHECK(base.maintenance().compact());
  WARPMIND_TRY(const auto after, base.store().statistics());
  return KbCompactResult{before.disk_bytes, after.disk_bytes};
}

}  // namespace

void add_upkeep_methods(Dispatcher& dispatcher, const KnowledgeAccess& access) {
  auto& base = access.base;
  auto& maintenance = base.maintenance();
  dispatcher.add(protocol::kKbVerify, Execution::slow,
                 [&maintenance](const KbVerifyParams& params, RequestContext& context) {
                   return verify(maintenance, params.deep, context.stop);
                 });
  dispatcher.add(protocol::kKbRebuild, Execution::slow,
                 [&maintenance](const Empty&, RequestContext& context) {
                   return rebuild(maintenance, context.stop);
                 });
  dispatcher.add(protocol::kKbBackup, Execution::slow,
                 [&maintenance](const KbBackupParams& params, RequestContext&) {
                   return backup(maintenance, params);
                 });
  dispatcher.add(protocol::kKbBackups, Execution::pool,
                 [&maintenance](const KbDirectoryParams& params, RequestContext&) {
                   return backups(maintenance, params.directory);
                 });
  dispatcher.add(
      protocol::kKbRestore, Execution::slow,
      [access](const KbRestoreParams& params, RequestContext&) { return restore(access, params); });
  dispatcher.add(
      protocol::kKbCheckpoint, Execution::slow,
      [&maintenance](const KbDirectoryParams& params, RequestContext&) -> Result<KbBackup> {
        WARPMIND_TRY(const auto directory, writable_path("directory", params.directory));
        return reported(maintenance.checkpoint(directory));
      });
  dispatcher.add(protocol::kKbCompact, Execution::slow,
                 [&base](const Empty&, RequestContext&) { return compact(base); });
}

}  // namespace warpmind::daemon
