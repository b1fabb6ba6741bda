#include "clients/cli/commands/kb_commands.h"

#include "base/codec/json_guard.h"
#include "base/file.h"
#include "base/text.h"
#include "clients/cli/report/daemon_reports.h"
#include "clients/cli/report/insight_report.h"
#include "clients/cli/report/knowledge_tables.h"
#include "clients/cli/report/technique_report.h"
#include "clients/cli/report/upkeep_report.h"
#include "daemon/protocol/knowledge_messages.h"
#include "daemon/protocol/upkeep_messages.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace warpmind::clients {

ExitCode run_command(Session& session, const KbStatsOptions& /*options*/) {
  return ask(
      session, daemon::protocol::kKbStats, daemon::protocol::Empty{},
      [&session](const auto& reply) { return render_statistics(reply, session.console.paint); });
}

namespace {

namespace protocol = daemon::protocol;
constexpr std::size_t kKernelBytes = std::size_t{1024} * 1024;

Result<protocol::KbSearchParams> search_params(Session& session, const KbSearchOptions& options) {
  auto params = static_cast<const protocol::KbSearchParams&>(options);
  params.text = join_text(options.words, " ");
  if (!options.compute_capability.empty()) {
    WARPMIND_TRY(params.capability, parse_capability(options.compute_capability));
  }
  if (!options.kernel_file.empty()) {
    WARPMIND_TRY(params.kernel, read_input(session.console, options.kernel_file, kKernelBytes));
  }
  if (!options.allowed.empty()) params.contracts = options.allowed;
  return params;
}

}  // namespace

ExitCode run_command(Session& session, const KbSearchOptions& options) {
  const auto params = search_params(session, options);
  if (!params) {
    return report_error(session.console, params.error(),
                        exit_code_for(Origin::input, params.error().code));
  }
  return ask(session, protocol::kKbSearch, *params, [&session](const auto& reply) {
    return render_search(reply, style_of(session.console));
  });
}

ExitCode run_command(Session& session, const KbShowOptions& options) {
  return ask(session, protocol::kKbShow, protocol::KbShowParams{options.id},
             [&session](const auto& reply) {
               const Style style = style_of(session.console);
               if (reply.technique) return render_technique(*reply.technique, style);
               return render_insight(reply.insight.value_or(Insight{}), style);
             });
}

ExitCode run_command(Session& session, const KbWhyOptions& options) {
  return ask(
      session, protocol::kKbWhy, protocol::KbInsightParams{options.id},
      [&session](const auto& reply) { return render_why(reply, style_of(session.console)); });
}

ExitCode run_command(Session& session, const KbHistoryOptions& options) {
  return ask(session, protocol::kKbHistory, protocol::KbHistoryParams{options.id, options.as_of},
             [&session, &options](const auto& reply) {
               const Style style = style_of(session.console);
               if (options.blame) return render_blame(reply, style);
               if (reply.insight) return render_insight(*reply.insight, style);
               return render_history(reply, style);
             });
}

namespace {

namespace protocol = daemon::protocol;
using nlohmann::json;
/// A request may have 16 MiB; what is wrong with a text below that, the daemon says.
constexpr std::size_t kClaimBytes = std::size_t{12} * 1024 * 1024;

/// Members of an insight that nobody can claim.
constexpr std::array kMeasured{"evidence", "attestations", "utility", "state", "trust", "pinned"};

/// The word "any" takes a limit away.
json list_of(const std::vector<std::string>& words) {
  if (words.size() == 1 && words.front() == "any") return json::array();
  return words;
}

Result<void> set_capability(std::string_view text, json& params) {
  std::int64_t low = 0;
  std::int64_t high = 0;
  if (text.ends_with('+')) {
    WARPMIND_TRY(low, parse_capability(text.substr(0, text.size() - 1)));
  } else if (const auto dash = text.find('-'); dash != std::string_view::npos) {
    WARPMIND_TRY(low, parse_capability(text.substr(0, dash)));
    WARPMIND_TRY(high, parse_capability(text.substr(dash + 1)));
  } else if (text != "any") {
    WARPMIND_TRY(low, parse_capability(text));
    high = low;
  }
  params["capability_min"] = low;
  params["capability_max"] = high;
  return {};
}

/// Only what was given: what is absent keeps its default (add) or its value (edit).
Result<void> set_claim(const ClaimFlags& flags, json& params) {
  if (flags.claim) params["claim"] = *flags.claim;
  if (flags.mechanism) params["mechanism"] = *flags.mechanism;
  if (flags.parameters) params["parameters"] = *flags.parameters;
  const auto set_list = [&params](const char* name, const std::vector<std::string>& words) {
    if (!words.empty()) params[name] = list_of(words);
  };
  set_list("operator_families", flags.operator_families);
  set_list("dtypes", flags.dtypes);
  set_list("bottlenecks", flags.bottlenecks);
  set_list("contracts", flags.contracts);
  if (!flags.device.empty()) params["device"] = flags.device == "any" ? "" : flags.device;
  if (!flags.capability.empty()) WARPMIND_CHECK(set_capability(flags.capability, params));
  if (!flags.space.empty()) params["space"] = flags.space;
  if (!flags.reason.empty()) params["reason"] = flags.reason;
  return {};
}

Result<json> claim_of_file(Session& session, const std::string& file) {
  WARPMIND_TRY(const std::string text, read_input(session.console, file, kClaimBytes));
  auto parsed = codec::parse_json(text);
  if (!parsed) return fail(std::move(parsed).error().while_doing(file));
  if (parsed->is_object()) {
    for (const char* name : kMeasured) {
      if (!parsed->contains(name)) continue;
      return fail(Errc::invalid_argument,
                  file + " brings its own '" + name +
                      "': that comes from what this base measures or decides; leave it out");
    }
    return parsed;
  }
  return fail(
      Errc::invalid_argument,
      file + " must hold one JSON object, such as {\"claim\":\"…\",\"techniques\":[\"…\"]}");
}

Result<json> add_params(Session& session, const KbAddOptions& options) {
  json params = json::object();
  if (!options.file.empty()) {
    WARPMIND_TRY(params, claim_of_file(session, options.file));
  }
  WARPMIND_CHECK(set_claim(options.flags, params));
  if (!options.kind.empty()) params["kind"] = options.kind;
  if (!options.techniques.empty()) params["techniques"] = options.techniques;
  if (!options.licence.empty()) params["licence"] = options.licence;
  if (!options.model.empty()) params["model"] = options.model;
  return params;
}

ExitCode change(Session& session, std::string_view method, const Result<json>& params,
                const char* what) {
  if (!params) {
    return report_error(session.console, params.error(),
                        exit_code_for(Origin::input, params.error().code));
  }
  return ask_in_json<protocol::KbInsightResult>(
      session, method, codec::dump_json(*params), kNoTimeout,
      [&session, what](const auto& reply) {
        return render_changed(reply.insight, what, style_of(session.console));
      },
      [](const auto& /*reply*/) { return ExitCode::ok; });
}

}  // namespace

ExitCode run_command(Session& session, const KbAddOptions& options) {
  return change(session, "kb.add", add_params(session, options), "added");
}

ExitCode run_command(Session& session, const KbEditOptions& options) {
  Result<json> params = json{{"id", options.id}};
  if (auto set = set_claim(options.flags, *params); !set) params = fail(set.error());
  return change(session, "kb.edit", params, "edited");
}

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
  return ask(session, protocol::kKbGraph, static_cast<const protocol::KbGraphParams&>(options),
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
  auto params = static_cast<const protocol::KbExportParams&>(options);
  params.file = absolute_path(options.file);
  params.key = absolute_path(options.key);
  if (options.markdown) params.format = "markdown";
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

namespace {

namespace protocol = daemon::protocol;

}  // namespace

ExitCode run_command(Session& session, const KbVerifyOptions& options) {
  return ask(
      session, protocol::kKbVerify, protocol::KbVerifyParams{options.deep}, kNoTimeout,
      [&session](const auto& reply) { return render_verify(reply, style_of(session.console)); },
      [](const auto& reply) { return reply.problems == 0 ? ExitCode::ok : ExitCode::negative; });
}

ExitCode run_command(Session& session, const KbRebuildOptions& /*options*/) {
  return ask(session, protocol::kKbRebuild, protocol::Empty{}, [&session](const auto& reply) {
    return render_rebuild(reply, style_of(session.console));
  });
}

ExitCode run_command(Session& session, const KbCompactOptions& /*options*/) {
  return ask(session, protocol::kKbCompact, protocol::Empty{},
             [](const auto& reply) { return render_compact(reply); });
}

ExitCode run_command(Session& session, const KbBackupOptions& options) {
  const protocol::KbBackupParams params{absolute_path(options.directory), options.keep};
  return ask(session, protocol::kKbBackup, params, [&](const auto& reply) {
    return render_backup(reply, "backed up to " + params.directory);
  });
}

ExitCode run_command(Session& session, const KbBackupsOptions& options) {
  const protocol::KbDirectoryParams params{absolute_path(options.directory)};
  return ask(session, protocol::kKbBackups, params,
             [](const auto& reply) { return render_backups(reply); });
}

ExitCode run_command(Session& session, const KbCheckpointOptions& options) {
  const protocol::KbDirectoryParams params{absolute_path(options.directory)};
  return ask(session, protocol::kKbCheckpoint, params, [&](const auto& reply) {
    return render_copy(reply, "a base with the same content is at " + params.directory);
  });
}

ExitCode run_command(Session& session, const KbRestoreOptions& options) {
  const protocol::KbRestoreParams params{absolute_path(options.directory), options.id.value_or(0),
                                         absolute_path(options.into), options.replace};
  if (options.replace && !options.yes) {
    const auto agreed = confirm(session.console,
                                "This puts the backup in place of the base that is open, which is "
                                "kept aside.",
                                "--yes");
    if (!agreed) return report_error(session.console, agreed.error(), ExitCode::bad_input);
    if (!*agreed) {
      return report_error(session.console, {Errc::cancelled, "nothing was changed"},
                          ExitCode::cancelled);
    }
  }
  const std::string where =
      options.replace ? "the base is as in the backup" : "restored to " + params.target;
  return ask(session, protocol::kKbRestore, params,
             [&](const auto& reply) { return render_copy(reply, where); });
}

namespace {}  // namespace

ExitCode run_command(Session& session, const KnowledgeOptions& options) {
  return std::visit([&session](const auto& one) { return run_command(session, one); }, options);
}

Result<std::int64_t> parse_capability(std::string_view text) {
  std::string_view rest = text.starts_with("sm_") ? text.substr(3) : text;
  std::string digits(rest);
  if (const auto dot = rest.find('.'); dot != std::string_view::npos) {
    // "9.0" is 90, "12.1" is 121: one digit behind the dot.
    digits = std::string(rest.substr(0, dot)) + std::string(rest.substr(dot + 1));
    if (rest.size() - dot != 2) digits.clear();
  }
  std::int64_t value = 0;
  if (is_all_digits(digits) && digits.size() <= 4) {
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
  }
  if (value >= 20 && value <= 999) return value;
  return fail(Errc::invalid_argument, "'" + std::string(text.substr(0, 64)) +
                                          "' is no compute capability; write 90, 9.0 or sm_90");
}

}  // namespace warpmind::clients
