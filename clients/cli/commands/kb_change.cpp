#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/report/insight_report.h"
#include "clients/cli/report/knowledge_tables.h"
#include "daemon/protocol/knowledge_messages.h"

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

template <class Params>
ExitCode change(Session& session, const protocol::Method<Params, protocol::KbInsightResult>& method,
                const Params& params, const std::string& what) {
  return ask(session, method, params, [&session, &what](const auto& reply) {
    return render_changed(reply.insight, what, style_of(session.console));
  });
}

std::string past_of(const std::string& command) {
  if (command == "pin" || command == "unpin") return command + "ned";
  return command + (command.ends_with('e') ? "d" : "ed");
}

}  // namespace

ExitCode run_command(Session& session, const KbChangeOptions& options) {
  const protocol::KbChangeParams params{options.id, options.command, options.reason};
  return change(session, protocol::kKbChange, params, past_of(options.command));
}

ExitCode run_command(Session& session, const KbSupersedeOptions& options) {
  const protocol::KbSupersedeParams params{options.id, options.by, options.reason};
  return change(session, protocol::kKbSupersede, params, "superseded");
}

ExitCode run_command(Session& session, const KbUndoOptions& options) {
  const protocol::KbUndoParams params{options.id, options.change, options.reason};
  return change(session, protocol::kKbUndo, params, "as it is after the undo:");
}

ExitCode run_command(Session& session, const KbSourcesOptions& options) {
  const auto render = [&session](const auto& reply) {
    return render_sources(reply, style_of(session.console));
  };
  if (options.quarantine.empty() && options.release.empty()) {
    return ask(session, protocol::kKbSources, protocol::Empty{}, render);
  }
  const bool quarantined = !options.quarantine.empty();
  const protocol::KbSourceParams params{quarantined ? options.quarantine : options.release,
                                        quarantined, options.reason};
  return ask(session, protocol::kKbSetSource, params, render);
}

}  // namespace warpmind::clients
