#pragma once
/// \file
/// Texts as tokens: lengths of reasoning, and what makes two sources the same. No model's
/// vocabulary: the same text has the same tokens for ever.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents {

/// Name of the tokenizer below; another rule gets another name.
inline constexpr std::string_view kTokenizer = "warpmind-pieces-1";

/// A run of letters, digits, '_' and bytes above 127 counts one token for every six bytes begun;
/// every other byte that is no white space counts one.
[[nodiscard]] std::int64_t count_tokens(std::string_view text);
/// The longest beginning of `text` with at most `limit` tokens, never cut inside a character.
[[nodiscard]] std::string first_tokens(std::string_view text, std::int64_t limit);

/// CUDA C++ without comments, white space and joints of lines: words, numbers, literals, single
/// signs.
[[nodiscard]] std::vector<std::string> code_tokens(std::string_view source);
/// 16 hex digits, equal for sources that differ in comments and layout alone.
[[nodiscard]] std::string normalised_hash(std::string_view source);

/// The runs of 13 tokens of a source, hashed, sorted, each once; of a shorter source the whole.
[[nodiscard]] std::vector<std::uint64_t> grams_of(std::string_view source);
/// Runs that both have, as a share of the shorter one's: 0 … 1.
[[nodiscard]] double overlap(const std::vector<std::uint64_t>& a,
                             const std::vector<std::uint64_t>& b);

}  // namespace warpmind::agents
