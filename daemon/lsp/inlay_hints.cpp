#include "base/model/metric_names.h"
#include "base/text.h"
#include "daemon/lsp/answers.h"
#include "daemon/lsp/wording.h"

#include <nlohmann/json.hpp>

namespace warpmind::daemon::lsp {
namespace {

using nlohmann::json;

void append(std::string& label, const std::string& part) {
  if (!label.empty()) label += " · ";
  label += part;
}

std::string of_analysis(const protocol::AnalyzedKernel& kernel) {
  std::string label;
  append(label, std::to_string(kernel.registers) + " registers");
  append(label, bytes_text(kernel.static_shared_bytes + kernel.dynamic_shared_bytes) + " shared");
  if (kernel.occupancy_percent > 0) {
    append(label, fixed(kernel.occupancy_percent, 0) + " % occupancy");
  }
  const auto spilled = kernel.spill_store_bytes + kernel.spill_load_bytes;
  if (spilled > 0) append(label, bytes_text(spilled) + " spilled");
  return label;
}

std::string of_episode(const KernelFacts& facts) {
  std::string label;
  append(label, std::to_string(facts.built->registers) + " registers");
  auto shared = static_cast<double>(facts.built->static_shared_bytes);
  if (facts.profile != nullptr) {
    shared += facts.profile->find(metric_names::kDynamicSharedBytes).value_or(0);
  }
  append(label, bytes_text(static_cast<std::int64_t>(shared)) + " shared");
  if (facts.profile != nullptr) {
    const auto occupancy = facts.profile->find(metric_names::kOccupancyPct);
    if (occupancy) append(label, fixed(*occupancy, 0) + " % occupancy");
  }
  const auto spilled = facts.built->spill_store_bytes + facts.built->spill_load_bytes;
  if (spilled > 0) append(label, bytes_text(spilled) + " spilled");
  return label;
}

}  // namespace

json inlay_hints(const OpenFile& file, std::int64_t first_line, std::int64_t last_line) {
  json hints = json::array();
  for (const auto& mark : file.marks.kernels) {
    if (mark.parameters_end == 0) continue;
    const Position at = file.document.position(mark.parameters_end);
    if (at.line < first_line || at.line > last_line) continue;
    const auto facts = facts_of(file, mark.name);
    std::string label;
    bool stale = facts.stale;
    if (facts.analysed != nullptr && facts.analysed->built) {
      label = of_analysis(*facts.analysed);
      stale = facts.analysis_stale;
    } else if (facts.built != nullptr) {
      label = of_episode(facts);
    }
    if (label.empty()) continue;
    hints.push_back({{"position", {{"line", at.line}, {"character", at.character}}},
                     {"label", label + (stale ? " (before the last edit)" : "")},
                     {"paddingLeft", true}});
  }
  return hints;
}

}  // namespace warpmind::daemon::lsp
