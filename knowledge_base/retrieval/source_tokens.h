#pragma once
/// \file
/// CUDA source as tokens: light, never fails, whatever the text. Private to code features.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

enum class TokenKind : std::uint8_t { name, number, sign, text };

struct SourceToken {
  TokenKind kind = TokenKind::sign;
  std::string_view text;  ///< of a text: what is between the quotes
  [[nodiscard]] bool is(std::string_view expected) const {
    return kind != TokenKind::text && text == expected;
  }
};

/// Longer sources are looked at up to here.
inline constexpr std::size_t kMostSourceTokens = 20'000;

struct SourceTokens {
  std::vector<SourceToken> tokens;  ///< without comments and preprocessor lines
  int unroll_pragmas = 0;
};

/// `source` must outlive the result.
[[nodiscard]] SourceTokens tokenise(std::string_view source);

}  // namespace warpmind::knowledge_base
