#include "base/text.h"
#include "daemon/lsp/answers.h"
#include "daemon/lsp/wording.h"

#include <nlohmann/json.hpp>

namespace warpmind::daemon::lsp {
namespace {

using nlohmann::json;

json lens(const json& range, const std::string& title, const char* command, json argument) {
  return {{"range", range},
          {"command",
           {{"title", title},
            {"command", command},
            {"arguments", json::array({std::move(argument)})}}}};
}

/// "41.2 µs predicted for NVIDIA H200, best 18 µs (2.29× faster)"; empty when nothing was measured.
std::string time_title(const OpenFile& file, const KernelFacts& facts) {
  if (facts.measurement == nullptr) {
    if (facts.analysed == nullptr || !facts.analysed->predicted_ns) return {};
    return time_text(*facts.analysed->predicted_ns) + " " +
           provider_text(Provider::sim, file.knowledge.analysis->device);
  }
  const Measurement& measured = *facts.measurement;
  std::string title =
      time_text(measured.median_ns) + " " + provider_text(measured.provider, measured.device.name);
  const Step* better = better_step(file);
  if (better == shown_step(file) && better != nullptr) {
    title += ", " + gain_text(file.knowledge.last->episode.best_against_baseline->ratio) +
             " than the given kernel";
  } else if (better != nullptr && better->verdict.measurement) {
    title += ", best " + time_text(better->verdict.measurement->median_ns) + " (" +
             gain_text(file.knowledge.last->episode.best_against_baseline->ratio) + ")";
  }
  return title + (facts.stale ? " (before the last edit)" : "");
}

}  // namespace

json range_of(const OpenFile& file, syntax::Range range) {
  const Position begin = file.document.position(range.begin);
  const Position end = file.document.position(range.end);
  return {{"start", {{"line", begin.line}, {"character", begin.character}}},
          {"end", {{"line", end.line}, {"character", end.character}}}};
}

json kernel_lenses(const OpenFile& file, const KernelMark& mark) {
  json lenses = json::array();
  const json range = range_of(file, mark.name_range);
  const json argument{{"uri", file.uri}, {"kernel", mark.name}};
  const auto facts = facts_of(file, mark.name);
  if (file.job.empty()) {
    lenses.push_back(lens(range, "Optimize", kOptimize, argument));
  } else {
    lenses.push_back(lens(range, "Optimizing: " + file.activity + " (cancel)", kCancel,
                          {{"uri", file.uri}, {"job_id", file.job}}));
  }
  std::string explain = "Explain bottleneck";
  if (facts.bottleneck != nullptr && facts.bottleneck->primary != BottleneckClass::unknown) {
    explain += ": " + name_in_words(name_of(facts.bottleneck->primary));
  }
  lenses.push_back(lens(range, explain, kExplain, argument));
  if (const auto title = time_title(file, facts); !title.empty()) {
    lenses.push_back(lens(range, title, kShowResult, argument));
  }
  if (file.job.empty() && why_not_applied(file).empty()) {
    lenses.push_back(
        lens(range, "Apply " + better_step(file)->candidate.technique, kApply, argument));
  }
  const auto claims = claims_of(file, mark.name).size();
  if (claims > 0) lenses.push_back(lens(range, count_noun(claims, "insight"), kInsights, argument));
  return lenses;
}

json code_lenses(const OpenFile& file) {
  json lenses = json::array();
  for (const auto& mark : file.marks.kernels) {
    for (auto& one : kernel_lenses(file, mark)) lenses.push_back(std::move(one));
  }
  return lenses;
}

}  // namespace warpmind::daemon::lsp
