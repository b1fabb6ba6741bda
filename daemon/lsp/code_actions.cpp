#include "daemon/lsp/answers.h"
#include "daemon/lsp/wording.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::lsp {
namespace {

using nlohmann::json;
using syntax::Range;

constexpr const char* kRewrite = "refactor.rewrite";
constexpr const char* kRefactor = "refactor";

/// The whole lines in which two texts differ.
struct Difference {
  Range given;
  std::string text;
};

Difference difference(const std::string& given, const std::string& better) {
  const std::size_t shorter = std::min(given.size(), better.size());
  std::size_t head = 0;
  while (head < shorter && given[head] == better[head]) ++head;
  const std::size_t line_start = head == 0 ? std::string::npos : given.rfind('\n', head - 1);
  head = line_start == std::string::npos ? 0 : line_start + 1;
  std::size_t tail = 0;
  while (tail < shorter - head &&
         given[given.size() - 1 - tail] == better[better.size() - 1 - tail]) {
    ++tail;
  }
  while (tail > 0 && given[given.size() - tail] != '\n') --tail;
  if (tail > 0) --tail;  // the end of the line goes with the line
  return {{head, given.size() - tail}, better.substr(head, better.size() - tail - head)};
}

bool touches(const OpenFile& file, const KernelMark& mark, std::int64_t first_line,
             std::int64_t last_line) {
  return file.document.position(mark.range.begin).line <= last_line &&
         file.document.position(mark.range.end).line >= first_line;
}

/// The action that applies the better kernel; null when there is none, or none that can be shown.
json apply_action(const OpenFile& file, bool shows_disabled) {
  const Step* better = better_step(file);
  if (better == nullptr || better == shown_step(file)) return nullptr;
  const auto& episode = file.knowledge.last->episode;
  json action{
      {"title", "warpmind: apply " + better->candidate.technique + " (" +
                    gain_text(episode.best_against_baseline->ratio) +
                    (episode.provider == Provider::sim ? ", predicted" : "") + ", verified; step " +
                    std::to_string(better->index) + " of " + episode.id.str() + ")"},
      {"kind", kRewrite}};
  json edit = variant_edit(file);
  if (!edit.is_null()) {
    action["edit"] = std::move(edit);
  } else if (shows_disabled) {
    action["disabled"] = {{"reason", why_not_applied(file)}};
  } else {
    return nullptr;
  }
  return action;
}

/// A lens as an action: what it runs says something or starts something.
json lens_action(json lens) {
  json command = std::move(lens["command"]);
  const json& argument = command["arguments"].front();
  const std::string title = "warpmind: " + command["title"].get<std::string>() + " · " +
                            argument.value("kernel", argument.value("job_id", ""));
  return {{"title", title}, {"kind", kRefactor}, {"command", std::move(command)}};
}

}  // namespace

json variant_edit(const OpenFile& file) {
  if (!why_not_applied(file).empty()) return nullptr;
  const std::string& given = file.document.text();
  const Difference change =
      difference(given, applied_text(file.knowledge.last->episode, *better_step(file)));
  const json edit{{"range", range_of(file, change.given)}, {"newText", change.text}};
  return {{"documentChanges",
           json::array({{{"textDocument", {{"uri", file.uri}, {"version", file.version}}},
                         {"edits", json::array({edit})}}})}};
}

json code_actions(const OpenFile& file, std::int64_t first_line, std::int64_t last_line,
                  const EditorProfile& profile) {
  json actions = json::array();
  for (const auto& mark : file.marks.kernels) {
    if (!touches(file, mark, first_line, last_line)) continue;
    if (actions.empty()) {  // the variant is of the whole file
      json apply = apply_action(file, profile.shows_disabled_actions);
      if (!apply.is_null()) actions.push_back(std::move(apply));
    }
    if (profile.shows_lenses) continue;
    for (auto& lens : kernel_lenses(file, mark)) {
      const std::string command = lens["command"]["command"];
      if (command == kApply || command == kShowResult) continue;
      actions.push_back(lens_action(std::move(lens)));
    }
  }
  return actions;
}

}  // namespace warpmind::daemon::lsp
