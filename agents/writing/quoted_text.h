#pragma once
/// \file
/// Text of unknown origin, made fit to stand in a prompt: whole UTF-8, no control characters, cut.

#include <string>
#include <string_view>

namespace warpmind::agents::writing {

/// At most `limit` bytes of `text`, at whole characters, with a mark where it was cut; other
/// control characters than line ends and tabs, and bytes that are not UTF-8, become '?'.
[[nodiscard]] std::string quoted_text(std::string_view text, std::size_t limit);

/// The same on one line.
[[nodiscard]] std::string quoted_line(std::string_view text, std::size_t limit);

/// Tokens of a text, guessed high: English and code have 3 to 5 bytes a token.
[[nodiscard]] constexpr std::size_t guessed_tokens(std::string_view text) {
  return (text.size() + 2) / 3;
}

}  // namespace warpmind::agents::writing
