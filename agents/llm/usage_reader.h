#pragma once
/// \file
/// Token counts of servers in one form. The two families count the cache in opposite ways: OpenAI's
/// input includes what came from the cache, Anthropic's does not.
/// Include from .cpp files only: names nlohmann's types.

#include "agents/llm/language_model.h"

#include <optional>
#include <string_view>

#include <nlohmann/json.hpp>

namespace warpmind::agents::llm {

/// `usage` of Chat Completions. nullopt for counts that cannot be true: missing or negative ones,
/// more cached than there was, no input at all.
[[nodiscard]] std::optional<Usage> read_chat_usage(const nlohmann::json& usage);
/// `usage` of Responses; the same rules.
[[nodiscard]] std::optional<Usage> read_responses_usage(const nlohmann::json& usage);
/// `usage` of Messages, its parts already merged (the later ones are cumulative).
[[nodiscard]] std::optional<Usage> read_messages_usage(const nlohmann::json& usage);

}  // namespace warpmind::agents::llm
