#pragma once
/// \file
/// What a text must be before it is read as a name or shown to people.

#include <cstddef>
#include <optional>
#include <string_view>

namespace warpmind::config {

/// Offset of the first byte that is not UTF-8 (overlong forms and surrogates included), or nullopt.
[[nodiscard]] std::optional<std::size_t> find_invalid_utf8(std::string_view text);

/// A C identifier: letters, digits and underscores, not starting with a digit.
[[nodiscard]] bool is_identifier(std::string_view text);

}  // namespace warpmind::config
