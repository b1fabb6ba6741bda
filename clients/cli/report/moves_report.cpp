#include "clients/cli/report/moves_report.h"

#include "base/text.h"
#include "clients/cli/report/diff.h"
#include "clients/cli/report/table.h"
#include "clients/cli/report/units.h"

#include <algorithm>

namespace warpmind::clients {
namespace {

using daemon::protocol::MovesExplainResult;

double gain_of(const ExplainedTechnique& technique) {
  return technique.moves.empty() ? 0 : technique.moves.front().predicted_gain;
}

std::string applicable_text(const std::vector<ExplainedTechnique>& techniques,
                            const MovesExplainResult& result, bool with_diffs, const Style& style) {
  std::string text;
  for (const auto& technique : techniques) {
    if (technique.moves.empty()) continue;
    text += "\n" + style.paint.strong(clean_line(technique.technique)) + "  about " +
            format_ratio(gain_of(technique));
    if (!technique.kernels.empty())
      text += "  in " + join_text(technique.kernels, ", ", clean_line);
    text += "\n" + wrap(clean_line(technique.rationale), 2, style.columns);
    std::string moves;
    for (const auto& move : technique.moves) {
      if (move.parameters.empty()) continue;
      moves += (moves.empty() ? "moves: " : ", ") + clean_line(move.parameters);
    }
    if (!moves.empty()) text += wrap(moves, 2, style.columns);
    if (with_diffs && technique.rewritten) {
      text += clean(kernel_diff(result.kernel, *technique.rewritten));
      if (!text.ends_with('\n')) text += '\n';
    }
  }
  return text;
}

/// Edits of host code, which belong to `optimize FILE.cu --run --host-edits`.
std::string host_text(const MovesExplainResult& result, bool with_diffs, const Style& style) {
  if (result.host.empty()) return {};
  std::string text = "\n" + style.paint.strong("host code") + "\n";
  for (const auto& edit : result.host) {
    if (!edit.refusal.empty()) {
      text += wrap(clean_line(edit.name) + " does not apply: " + clean_line(edit.refusal), 2,
                   style.columns);
      continue;
    }
    text += wrap(clean_line(edit.name) + ": " + clean_line(edit.rationale), 2, style.columns);
    for (const auto& place : edit.places) text += wrap(clean_line(place), 4, style.columns);
    if (with_diffs) {
      text += clean(unified_diff(result.kernel.source, edit.text, {"given", edit.name}));
      if (!text.ends_with('\n')) text += '\n';
    }
  }
  return text;
}

}  // namespace

std::string render_moves(const MovesExplainResult& result, bool with_diffs, const Style& style) {
  auto techniques = result.techniques;
  std::stable_sort(techniques.begin(), techniques.end(),
                   [](const auto& a, const auto& b) { return gain_of(a) > gain_of(b); });
  std::string text = result.name.empty() ? "" : style.paint.strong(clean_line(result.name)) + ", ";
  text += "gains guessed for " + clean_line(result.device) + "; nothing was built or measured\n";
  for (const auto& form : result.forms) {
    text += wrap("'" + clean_line(form.kernel) + "' computes: " + clean_line(form.summary), 0,
                 style.columns);
  }
  if (!result.note.empty()) text += wrap("note: " + clean_line(result.note), 0, style.columns);
  text += applicable_text(techniques, result, with_diffs, style);
  Table refused({Align::left, Align::left});
  refused.add({"does not apply", "because"});
  for (const auto& technique : techniques) {
    if (!technique.moves.empty()) continue;
    refused.add({clean_line(technique.technique), clean_line(technique.refusal)});
  }
  if (refused.rows() > 1) text += "\n" + refused.render(0);
  return text + host_text(result, with_diffs, style);
}

}  // namespace warpmind::clients
