#pragma once
/// \file
/// What came of looking after the base and of exchanging knowledge.

#include "clients/cli/report/style.h"
#include "daemon/protocol/knowledge_messages.h"
#include "daemon/protocol/upkeep_messages.h"

#include <string>

namespace warpmind::clients {

[[nodiscard]] std::string render_verify(const VerifyReport& result, const Style& style);
[[nodiscard]] std::string render_rebuild(const RebuildReport& result, const Style& style);
[[nodiscard]] std::string render_compact(const daemon::protocol::KbCompactResult& result);
[[nodiscard]] std::string render_backup(const BackupInfo& backup, const std::string& what);
[[nodiscard]] std::string render_backups(const daemon::protocol::KbBackupsResult& result);
/// A base that was made of a backup or of the open base.
[[nodiscard]] std::string render_copy(const BackupInfo& backup, const std::string& what);
[[nodiscard]] std::string render_export(const PackReport& result, const std::string& file,
                                        const Style& style);
[[nodiscard]] std::string render_import(const PackReport& result, const Style& style);

}  // namespace warpmind::clients
