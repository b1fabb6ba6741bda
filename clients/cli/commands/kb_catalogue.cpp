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

ExitCode run(Session& session, const KbTechniquesOptions& options) {
  const Style style = style_of(session.console);
  if (options.file.empty()) {
    return ask<protocol::KbTechniquesResult>(
        session, "kb.techniques", protocol::encode(protocol::KbTechniquesParams{options.name}),
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
  return ask<protocol::KbTechniquesResult>(
      session, "kb.put_technique", codec::dump_json(*card),
      [&](const auto& reply) { return render_techniques(reply.techniques, style); });
}

ExitCode run(Session& session, const KbFactsOptions& options) {
  return ask<protocol::KbFactsResult>(
      session, "kb.facts", protocol::encode(protocol::KbFactsParams{options.subject}),
      [&session](const auto& reply) { return render_facts(reply, style_of(session.console)); });
}

ExitCode run(Session& session, const KbGraphOptions& options) {
  const Style style = style_of(session.console);
  if (!options.export_file.empty()) {
    return ask<protocol::KbGraphExportResult>(
        session, "kb.export_graph",
        protocol::encode(protocol::KbGraphExportParams{absolute_path(options.export_file)}),
        [](const auto& reply) { return render_graph_export(reply); });
  }
  if (!options.import_file.empty()) {
    return ask<protocol::KbGraphImportResult>(
        session, "kb.import_graph",
        protocol::encode(protocol::KbGraphImportParams{absolute_path(options.import_file), ""}),
        [](const auto& reply) { return render_graph_import(reply); });
  }
  const protocol::KbGraphParams params{options.from, options.cluster, options.device,
                                       options.provider, options.limit};
  return ask<protocol::KbGraphResult>(
      session, "kb.graph", protocol::encode(params),
      [&](const auto& reply) { return render_edges(reply, style); });
}

ExitCode run(Session& session, const KbClustersOptions& /*options*/) {
  return ask<protocol::KbClustersResult>(
      session, "kb.clusters", "{}",
      [&session](const auto& reply) { return render_clusters(reply, style_of(session.console)); });
}

ExitCode run(Session& session, const KbCalibrationOptions& options) {
  return ask<protocol::KbCalibrationResult>(
      session, "kb.calibration", protocol::encode(protocol::KbCalibrationParams{options.provider}),
      [](const auto& reply) { return render_calibration(reply); });
}

}  // namespace warpmind::clients
