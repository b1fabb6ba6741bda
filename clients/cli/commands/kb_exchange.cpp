#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/report/upkeep_report.h"
#include "daemon/protocol/knowledge_messages.h"

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

std::vector<std::string> absolute_paths(const std::vector<std::string>& paths) {
  std::vector<std::string> all;
  all.reserve(paths.size());
  for (const auto& path : paths) all.push_back(absolute_path(path));
  return all;
}

std::string space_of(const PackFlags& flags) { return flags.space.empty() ? "user" : flags.space; }

}  // namespace

ExitCode run_command(Session& session, const KbExportOptions& options) {
  const protocol::KbExportParams params{absolute_path(options.file),
                                        options.markdown ? "markdown" : "pack",
                                        options.spaces,
                                        options.licences,
                                        options.all,
                                        absolute_path(options.key)};
  return ask(session, protocol::kKbExport, params, [&](const auto& reply) {
    return render_export(reply, params.file, style_of(session.console));
  });
}

ExitCode run_command(Session& session, const KbImportOptions& options) {
  const PackFlags& flags = options.flags;
  const protocol::KbImportParams params{absolute_path(options.words.back()),
                                        options.words.size() == 1 ? "pack" : options.words.front(),
                                        space_of(flags), absolute_paths(flags.trusted_keys),
                                        flags.require_signature};
  return ask(session, protocol::kKbImport, params, [&session](const auto& reply) {
    return render_import(reply, style_of(session.console));
  });
}

ExitCode run_command(Session& session, const KbMergeOptions& options) {
  const PackFlags& flags = options.flags;
  const protocol::KbMergeParams params{absolute_path(options.path), space_of(flags),
                                       absolute_paths(flags.trusted_keys), flags.require_signature};
  return ask(session, protocol::kKbMerge, params, [&session](const auto& reply) {
    return render_import(reply, style_of(session.console));
  });
}

}  // namespace warpmind::clients
