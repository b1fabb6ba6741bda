#include "daemon/lsp/editor_profile.h"

#include "base/sequence.h"
#include "daemon/lsp/answers.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::lsp {
namespace {

using nlohmann::json;

/// The member at "a.b.c", or null.
const json& at_path(const json& value, std::string_view path) {
  static const json null;
  const json* at = &value;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('.'), path.size());
    if (!at->is_object()) return null;
    const auto found = at->find(std::string(path.substr(0, end)));
    if (found == at->end()) return null;
    at = &*found;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return *at;
}

bool flag(const json& value, std::string_view path) {
  const json& found = at_path(value, path);
  return found.is_boolean() && found.get<bool>();
}

/// The member is there and null: the daemon's own setting counts again.
bool is_cleared(const json& options, const char* name) {
  return options.is_object() && options.contains(name) && options.at(name).is_null();
}

void take_text(const json& options, const char* name, std::string& into) {
  const json& found = at_path(options, name);
  if (found.is_string()) into = found.get<std::string>();
}

}  // namespace

EditorProfile editor_profile(const json& params) {
  EditorProfile profile;
  const json& encodings = at_path(params, "capabilities.general.positionEncodings");
  if (encodings.is_array() && contains(encodings, "utf-8")) {
    profile.encoding = PositionEncoding::utf8;
  }
  profile.shows_progress = flag(params, "capabilities.window.workDoneProgress");
  profile.shows_lenses = at_path(params, "capabilities.textDocument.codeLens").is_object();
  profile.refreshes_lenses = flag(params, "capabilities.workspace.codeLens.refreshSupport");
  profile.refreshes_hints = flag(params, "capabilities.workspace.inlayHint.refreshSupport");
  profile.shows_disabled_actions =
      flag(params, "capabilities.textDocument.codeAction.disabledSupport");
  profile.applies_edits = flag(params, "capabilities.workspace.applyEdit");
  profile.shows_endings = flag(params, "initializationOptions.showsEndings");
  return profile;
}

void take_wishes(const json& options, JobWishes& wishes) {
  const json& evaluations = at_path(options, "evaluations");
  if (evaluations.is_number_integer()) wishes.params.evaluations = evaluations.get<std::int64_t>();
  if (is_cleared(options, "evaluations")) wishes.params.evaluations.reset();
  const json& seconds = at_path(options, "seconds");
  if (seconds.is_number()) wishes.params.seconds = seconds.get<double>();
  if (is_cleared(options, "seconds")) wishes.params.seconds.reset();
  take_text(options, "provider", wishes.params.provider);
  take_text(options, "device", wishes.params.device);
  take_text(options, "proposer", wishes.params.proposer);
  const json& predict = at_path(options, "predict");
  if (predict.is_boolean()) wishes.predict = predict.get<bool>();
}

json server_capabilities(const EditorProfile& profile) {
  const bool utf8 = profile.encoding == PositionEncoding::utf8;
  return {
      {"positionEncoding", utf8 ? "utf-8" : "utf-16"},
      {"textDocumentSync",
       {{"openClose", true}, {"change", 2}, {"save", {{"includeText", false}}}}},
      {"codeLensProvider", {{"resolveProvider", false}}},
      {"hoverProvider", true},
      {"inlayHintProvider", true},
      {"codeActionProvider", {{"codeActionKinds", json::array({"refactor", "refactor.rewrite"})}}},
      {"executeCommandProvider",
       {{"commands", json::array({kOptimize, kCancel, kExplain, kShowResult, kApply, kInsights,
                                  kEpisodes, kSearch})}}}};
}

std::string path_of_uri(const std::string& uri) {
  constexpr std::string_view kScheme = "file://";
  constexpr int kHex = 16;
  std::string_view rest = uri;
  if (!rest.starts_with(kScheme)) return {};
  rest.remove_prefix(kScheme.size());
  rest.remove_prefix(std::min(rest.find('/'), rest.size()));  // the host
  std::string path;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    unsigned value = 0;
    if (rest[i] == '%' && i + 2 < rest.size()) {
      const char* const digits = rest.data() + i + 1;
      if (std::from_chars(digits, digits + 2, value, kHex).ptr == digits + 2) {
        path += static_cast<char>(value);
        i += 2;
        continue;
      }
    }
    path += rest[i];
  }
  return path;
}

}  // namespace warpmind::daemon::lsp
