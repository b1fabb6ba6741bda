#pragma once
/// \file
/// What the dialects have in common. Include from .cpp files only: names nlohmann's types.

#include "agents/llm/language_model.h"
#include "agents/llm/wire_dialect.h"
#include "base/result.h"

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace warpmind::agents::llm {

/// Errors: invalid_argument unless the last message is the user's and the limit is above zero.
[[nodiscard]] Result<void> check_request(const ModelRequest& request);
/// The request's schema. Errors: invalid_argument.
[[nodiscard]] Result<nlohmann::json> schema_of(const ModelRequest& request);
[[nodiscard]] std::string_view name_of(Speaker speaker);

/// An object that a server sent. Errors: external_failure.
[[nodiscard]] Result<nlohmann::json> parse_answer(std::string_view text);
/// What a server says of its own failure: `{"error": {"type", "code", "message"}}` or the inner
/// object alone. Code: invalid_argument where the type blames the request, else unavailable.
[[nodiscard]] Error server_error(const nlohmann::json& error);

}  // namespace warpmind::agents::llm
