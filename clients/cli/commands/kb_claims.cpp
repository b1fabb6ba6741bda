#include "base/codec/json_guard.h"
#include "clients/cli/commands/kb_commands.h"
#include "clients/cli/report/insight_report.h"
#include "daemon/protocol/knowledge_messages.h"

#include <array>

namespace warpmind::clients {
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

}  // namespace warpmind::clients
