#include "daemon/lsp/answers.h"
#include "daemon/lsp/wording.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::lsp {
namespace {

using agents::builtin::Range;
using nlohmann::json;

constexpr const char* kKind = "refactor.rewrite";

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

/// The launches of a plan that is not the given one, as a comment: whoever launches must follow.
std::string plan_comment(const Kernel& given, const Kernel& better) {
  if (given.plan == better.plan && given.build_flags == better.build_flags) return {};
  std::string text = "// warpmind: this variant is launched as\n";
  for (const auto& launch : better.plan.launches) {
    const auto dim = [](const auto& of) { return of[0] + ", " + of[1] + ", " + of[2]; };
    text += "//   " + launch.kernel + "<<<dim3(" + dim(launch.grid) + "), dim3(" +
            dim(launch.block) + "), " + launch.shared_bytes + ">>>(";
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      text += (i == 0 ? "" : ", ") + launch.arguments[i];
    }
    text += ")\n";
  }
  for (const auto& [name, value] : better.plan.constants) {
    text += "//   -D" + name + "=" + std::to_string(value) + "\n";
  }
  for (const auto& flag : better.build_flags) text += "//   built with " + flag + "\n";
  return text;
}

bool touches(const OpenFile& file, std::int64_t first_line, std::int64_t last_line) {
  return std::any_of(file.marks.kernels.begin(), file.marks.kernels.end(), [&](const auto& mark) {
    return file.document.position(mark.range.begin).line <= last_line &&
           file.document.position(mark.range.end).line >= first_line;
  });
}

}  // namespace

json code_actions(const OpenFile& file, std::int64_t first_line, std::int64_t last_line,
                  bool shows_disabled) {
  const Step* better = better_step(file);
  if (better == nullptr || better == shown_step(file) || !touches(file, first_line, last_line)) {
    return json::array();
  }
  const auto& episode = file.knowledge.last->episode;
  const Kernel& given = episode.steps.front().candidate.kernel;
  const Kernel& kernel = better->candidate.kernel;
  json action{
      {"title", "warpmind: apply " + better->candidate.technique + " (" +
                    gain_text(episode.best_against_baseline->ratio) +
                    (episode.provider == Provider::sim ? ", predicted" : "") + ", verified; step " +
                    std::to_string(better->index) + " of " + episode.id.str() + ")"},
      {"kind", kKind}};
  if (given.source != file.document.text()) {
    if (!shows_disabled) return json::array();
    action["disabled"] = {
        {"reason", "the text was edited since the variant was verified; optimize it again"}};
    return json::array({std::move(action)});
  }
  const Difference change = difference(given.source, plan_comment(given, kernel) + kernel.source);
  const json edit{{"range", range_of(file, change.given)}, {"newText", change.text}};
  action["edit"] = {{"documentChanges",
                     json::array({{{"textDocument", {{"uri", file.uri}, {"version", file.version}}},
                                   {"edits", json::array({edit})}}})}};
  return json::array({std::move(action)});
}

}  // namespace warpmind::daemon::lsp
