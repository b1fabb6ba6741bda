#include "agents/llm/choice_fallback.h"

namespace warpmind::agents::llm {

std::optional<WireChoices> easier_choices(const RefusedRequest& refused) {
  constexpr long kBadRequest = 400;
  constexpr long kUnprocessable = 422;
  if (refused.status != kBadRequest && refused.status != kUnprocessable) return std::nullopt;
  const auto names = [&](std::string_view word) {
    return refused.said.find(word) != std::string_view::npos;
  };
  WireChoices easier = refused.choices;
  const bool chat = refused.dialect == Dialect::chat;
  if (chat && easier.stream && easier.usage_in_stream &&
      (names("stream_options") || names("include_usage"))) {
    easier.usage_in_stream = false;
    return easier;
  }
  if (chat && refused.limit_name_is_open &&
      (names("max_tokens") || names("max_completion_tokens"))) {
    easier.completion_tokens = !easier.completion_tokens;
    return easier;
  }
  if (refused.has_schema && easier.structured) {
    easier.structured = false;
    return easier;
  }
  return std::nullopt;
}

}  // namespace warpmind::agents::llm
