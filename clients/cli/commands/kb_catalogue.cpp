#include "base/codec/json_guard.h"
#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/report/knowledge_tables.h"
#include "clients/cli/report/technique_report.h"
#include "daemon/protocol/knowledge_messages.h"

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
using nlohmann::json;
constexpr std::size_t kCardBytes = std::size_t{1024} * 1024;

/// A card by itself, or the document of `kb techniques NAME --json` with the one it names.
Result<json> card_of(Session& session, const KbTechniquesOptions& options) {
  WARPMIND_TRY(const std::string text, read_input(session.console, options.file, kCardBytes));
  auto parsed = codec::parse_json(text);
  if (!parsed) return fail(std::move(parsed).error().while_doing(options.file));
  json card = std::move(*parsed);
  if (card.is_object() && card.contains("technique")) card = json(card["technique"]);
  if (card.is_object() && card.contains("techniques") && card["techniques"].is_array() &&
      card["techniques"].size() == 1) {
    card = json(card["techniques"][0]);
  }
  if (!card.is_object() || !card.contains("name")) {
    return fail(Errc::invalid_argument, options.file +
                                            " must hold one technique as a JSON object with "
                                            "`name`; `warpmind kb techniques NAME --json` shows "
                                            "one");
  }
  card.erase("source");  // the base knows who put it
  card.erase("edited");
  if (!options.reason.empty()) card["reason"] = options.reason;
  return card;
}

}  // namespace

ExitCode run_command(Session& session, const KbTechniquesOptions& options) {
  const Style style = style_of(session.console);
  if (options.file.empty()) {
    return ask(session, protocol::kKbTechniques, protocol::KbTechniquesParams{options.name},
               [&](const auto& reply) {
                 return options.name.empty() ? render_techniques(reply.techniques, style)
                                             : render_technique(reply.techniques.at(0), style);
               });
  }
  const auto card = card_of(session, options);
  if (!card) {
    return report_error(session.console, card.error(),
                        exit_code_for(Origin::input, card.error().code));
  }
  return ask_in_json<protocol::KbTechniquesResult>(
      session, protocol::kKbPutTechnique.name, codec::dump_json(*card), kNoTimeout,
      [&](const auto& reply) { return render_techniques(reply.techniques, style); },
      [](const auto& /*reply*/) { return ExitCode::ok; });
}

ExitCode run_command(Session& session, const KbFactsOptions& options) {
  return ask(
      session, protocol::kKbFacts, protocol::KbFactsParams{options.subject},
      [&session](const auto& reply) { return render_facts(reply, style_of(session.console)); });
}

ExitCode run_command(Session& session, const KbGraphOptions& options) {
  const Style style = style_of(session.console);
  if (!options.export_file.empty()) {
    return ask(session, protocol::kKbExportGraph,
               protocol::KbGraphExportParams{absolute_path(options.export_file)},
               [](const auto& reply) { return render_graph_export(reply); });
  }
  if (!options.import_file.empty()) {
    return ask(session, protocol::kKbImportGraph,
               protocol::KbGraphImportParams{absolute_path(options.import_file), ""},
               [](const auto& reply) { return render_graph_import(reply); });
  }
  const protocol::KbGraphParams params{options.from, options.cluster, options.device,
                                       options.provider, options.limit};
  return ask(session, protocol::kKbGraph, params,
             [&](const auto& reply) { return render_edges(reply, style); });
}

ExitCode run_command(Session& session, const KbClustersOptions& /*options*/) {
  return ask(session, protocol::kKbClusters, protocol::Empty{}, [&session](const auto& reply) {
    return render_clusters(reply, style_of(session.console));
  });
}

ExitCode run_command(Session& session, const KbCalibrationOptions& options) {
  return ask(session, protocol::kKbCalibration, protocol::KbCalibrationParams{options.provider},
             [](const auto& reply) { return render_calibration(reply); });
}

}  // namespace warpmind::clients
