#include "clients/cli/report/spending.h"

#include "base/text.h"
#include "clients/cli/report/text.h"
#include "clients/cli/report/units.h"

namespace warpmind::clients {
namespace {

std::string usd(std::int64_t micro_usd) {
  return fixed(static_cast<double>(micro_usd) / 1e6, micro_usd < 100'000 ? 4 : 2) + " USD";
}

void append(std::string& text, const std::string& part) {
  if (!part.empty()) text += (text.empty() ? "" : ", ") + part;
}

}  // namespace

std::string spending_text(const ModelSpending& s) {
  if (s == ModelSpending{}) return {};
  std::string text = format_count(s.calls) + (s.calls == 1 ? " call: " : " calls: ") +
                     format_count(s.input_tokens + s.written_tokens) + " input tokens";
  if (s.cached_tokens > 0) text += " (" + format_count(s.cached_tokens) + " more from the cache)";
  text += ", " + format_count(s.output_tokens) + " output";
  if (s.reasoning_tokens > 0) text += " (" + format_count(s.reasoning_tokens) + " of reasoning)";
  append(text, s.micro_usd > 0 ? usd(s.micro_usd) : "price unknown");
  return text + ", waited " + format_duration(s.seconds);
}

std::string budget_text(const Budget& budget) {
  std::string text = format_count(budget.evaluations) +
                     (budget.evaluations == 1 ? " candidate, " : " candidates, ") +
                     format_duration(budget.seconds);
  if (budget.tokens > 0) append(text, format_count(budget.tokens) + " tokens");
  if (budget.micro_usd > 0) append(text, usd(budget.micro_usd));
  if (budget.gpu_seconds > 0) append(text, format_duration(budget.gpu_seconds) + " of the GPU");
  return text;
}

std::string search_text(const Episode& episode) {
  std::string text;
  if (!episode.policy.empty()) append(text, "policy " + clean_line(episode.policy));
  if (!episode.proposer.empty()) append(text, "proposer " + clean_line(episode.proposer));
  if (episode.seed != 0) append(text, "seed " + std::to_string(episode.seed));
  return text;
}

}  // namespace warpmind::clients
