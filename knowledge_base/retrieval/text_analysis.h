#pragma once
/// \file
/// Text as the words that a search compares: of insights when they are indexed, of queries when
/// they are asked. Both sides go through analyse(), so a change of it means a rebuild.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

/// Of one text. The rest is not searched; the length of a document fits a byte.
inline constexpr std::size_t kMostTokens = 255;

/// Search tokens of a UTF-8 text, in its order: lower case, without stop words, light stems.
/// An identifier gives itself and its parts ("float4" → float4, float, 4), a word or phrase of the
/// trade also its concept ("shared memory" → shar, memory, smem). Bytes that are no UTF-8 separate
/// words. At most kMostTokens.
[[nodiscard]] std::vector<std::string> analyse(std::string_view text);

/// Words of a UTF-8 text as they are written, in lower case: for character n-grams. At most
/// kMostTokens.
[[nodiscard]] std::vector<std::string> words_of(std::string_view text);

/// The common beginning of the forms of one English word: "coalesced", "coalescing" → "coalesc".
/// `word` is in lower case.
[[nodiscard]] std::string stem_of(std::string_view word);

}  // namespace warpmind::knowledge_base
