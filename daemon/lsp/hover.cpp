#include "base/text.h"
#include "daemon/lsp/answers.h"
#include "daemon/lsp/wording.h"

#include <optional>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::lsp {
namespace {

using nlohmann::json;
using syntax::Range;

struct NamedPlace {
  std::string kernel;
  Range range;
};

std::optional<NamedPlace> place_at(const OpenFile& file, std::size_t offset) {
  const auto holds = [offset](Range range) { return range.begin <= offset && offset <= range.end; };
  for (const auto& mark : file.marks.kernels) {
    if (holds(mark.name_range)) return NamedPlace{mark.name, mark.name_range};
  }
  for (const auto& launch : file.marks.launches) {
    if (holds(launch.name_range)) return NamedPlace{launch.kernel, launch.name_range};
  }
  return std::nullopt;
}

std::string share_of_limit(const Bottleneck& bottleneck) {
  const bool said = bottleneck.explanation.find("the limit") != std::string::npos;
  if (said || bottleneck.headroom <= 0) return {};
  return "Reaches " + significant(100 / bottleneck.headroom, 3) + " % of the limit.";
}

std::string times(const OpenFile& file, const KernelFacts& facts) {
  if (facts.measurement == nullptr) return {};
  const Measurement& one = *facts.measurement;
  std::string text = "- " + time_text(one.median_ns) + " " +
                     provider_text(one.provider, plain_markdown(one.device.name)) + ", workload `" +
                     one.workload + "`\n";
  if (const Step* better = better_step(file); better != nullptr && better != shown_step(file)) {
    text += "- best: " + gain_text(file.knowledge.last->episode.best_against_baseline->ratio) +
            " by `" + better->candidate.technique + "`, step " + std::to_string(better->index) +
            " of " + file.knowledge.last->episode.id.str() + "\n";
  }
  return text;
}

std::string deciders(const Bottleneck& bottleneck) {
  std::string text;
  for (const auto& metric : bottleneck.deciders) {
    text += "- `" + metric.name + "` " + significant(metric.value) + " " + metric.unit;
    if (metric.needed) text += " (" + significant(*metric.needed) + " would do)";
    text += "\n";
  }
  return text;
}

std::string advice_of(const KernelFacts& facts) {
  return facts.advice == nullptr ? std::string() : facts.advice->text;
}

}  // namespace

std::string bottleneck_sentence(const OpenFile& file, const std::string& kernel) {
  const auto facts = facts_of(file, kernel);
  if (facts.bottleneck == nullptr || facts.bottleneck->primary == BottleneckClass::unknown) {
    return kernel + ": not known yet; optimize it once, and the profile of the given kernel says";
  }
  std::string text = kernel + ": " + name_in_words(name_of(facts.bottleneck->primary));
  if (!facts.bottleneck->explanation.empty()) text += ". " + facts.bottleneck->explanation;
  if (const auto line = share_of_limit(*facts.bottleneck); !line.empty()) text += " " + line;
  if (const auto advice = advice_of(facts); !advice.empty()) text += " " + advice;
  return text + (facts.stale ? " (The text was edited since.)" : "");
}

std::string bottleneck_markdown(const OpenFile& file, const std::string& kernel) {
  const auto facts = facts_of(file, kernel);
  std::string text = "**" + plain_markdown(kernel) + "**";
  if (!file.knowledge.task.empty()) text += ", task `" + file.knowledge.task + "`";
  text += facts.stale ? " (before the last edit)\n\n" : "\n\n";
  text += times(file, facts);
  if (facts.bottleneck != nullptr && facts.bottleneck->primary != BottleneckClass::unknown) {
    text += "- bottleneck: **" + name_in_words(name_of(facts.bottleneck->primary)) + "**. " +
            plain_markdown(facts.bottleneck->explanation) + " " +
            share_of_limit(*facts.bottleneck) + "\n" + deciders(*facts.bottleneck);
    if (const auto advice = advice_of(facts); !advice.empty()) text += "- advice: " + advice + "\n";
  } else {
    text += "- bottleneck: not known yet\n";
  }
  if (file.knowledge.directory.empty() && !file.knowledge.note.empty()) {
    text += "- no task: " + plain_markdown(file.knowledge.note) + "\n";
  }
  const auto claims = claims_of(file, kernel);
  if (!claims.empty()) text += "\nInsights that match:\n";
  for (const auto& claim : claims) text += "- " + plain_markdown(claim) + "\n";
  return text;
}

json hover(const OpenFile& file, Position position) {
  const auto place = place_at(file, file.document.offset(position));
  if (!place) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", bottleneck_markdown(file, place->kernel)}}},
          {"range", range_of(file, place->range)}};
}

}  // namespace warpmind::daemon::lsp
