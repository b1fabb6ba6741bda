#pragma once
/// \file
/// Reads of JSON that a server sent: what is missing or of another type is absent, never an error.
/// Include from .cpp files only (1.8 s).

#include <cstdint>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace warpmind::agents::llm {

/// The member, or null; also when `value` is no object.
[[nodiscard]] const nlohmann::json* member_of(const nlohmann::json& value, const char* name);
/// Empty where there is no such text.
[[nodiscard]] std::string text_of(const nlohmann::json& value, const char* name);
/// nullopt where there is no such number, or not a whole one that can be a count (0 to 10^9).
[[nodiscard]] std::optional<std::int64_t> count_of(const nlohmann::json& value, const char* name);
/// True where the member is there, not null, and no count: the server reports nonsense.
[[nodiscard]] bool is_no_count(const nlohmann::json& value, const char* name);

}  // namespace warpmind::agents::llm
