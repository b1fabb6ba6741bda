#include "agents/export/text_tokens.h"

#include "base/hash.h"
#include "base/sequence.h"
#include "base/text.h"
#include "syntax/lexer.h"

#include <algorithm>

namespace warpmind::agents {
namespace {

constexpr std::size_t kPieceBytes = 6;
constexpr std::size_t kGram = 13;

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool is_word(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         byte >= 0x80U;
}

/// End of the token that begins at `at`, which is not blank.
std::size_t end_of_token(std::string_view text, std::size_t at) {
  if (!is_word(text[at])) return at + 1;
  std::size_t end = at;
  while (end < text.size() && end - at < kPieceBytes && is_word(text[end])) ++end;
  return end;
}

std::uint64_t fnv(std::string_view bytes, std::uint64_t hash) {
  for (const char c : bytes) {
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  }
  return hash;
}

}  // namespace

std::int64_t count_tokens(std::string_view text) {
  std::int64_t count = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (is_blank(text[at])) {
      ++at;
      continue;
    }
    at = end_of_token(text, at);
    ++count;
  }
  return count;
}

std::string first_tokens(std::string_view text, std::int64_t limit) {
  std::int64_t count = 0;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size() && count < limit;) {
    if (!is_blank(text[at])) {
      at = end_of_token(text, at);
      ++count;
      end = at;
    } else {
      ++at;
    }
  }
  while (end > 0 && end < text.size() && is_utf8_continuation(text[end])) --end;
  return std::string(text.substr(0, end));
}

std::vector<std::string> code_tokens(std::string_view source) {
  std::vector<std::string> tokens;
  syntax::Lexer lexer(source);
  while (const auto lexeme = lexer.next()) {
    if (lexeme->kind == syntax::LexemeKind::sign) {
      for (const char c : spelling(*lexeme)) tokens.emplace_back(1, c);  // `> >` is `>>`
    } else if (lexeme->is_code()) {
      tokens.push_back(spelling(*lexeme));
    }
  }
  return tokens;
}

std::string normalised_hash(std::string_view source) {
  return short_hash(join_lines(code_tokens(source)));
}

std::vector<std::uint64_t> grams_of(std::string_view source) {
  constexpr std::uint64_t kStart = 0xcbf29ce484222325ULL;
  const auto tokens = code_tokens(source);
  const std::size_t length = std::min(kGram, tokens.size());
  std::vector<std::uint64_t> grams;
  for (std::size_t at = 0; at + length <= tokens.size() && length > 0; ++at) {
    std::uint64_t hash = kStart;
    for (std::size_t i = at; i < at + length; ++i) hash = fnv("\n", fnv(tokens[i], hash));
    grams.push_back(hash);
  }
  sort_unique(grams);
  return grams;
}

double overlap(const std::vector<std::uint64_t>& a, const std::vector<std::uint64_t>& b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  if (shorter == 0) return 0;
  std::size_t common = 0;
  for (auto i = a.begin(), j = b.begin(); i != a.end() && j != b.end();) {
    if (*i == *j) ++common;
    if (*i <= *j) {
      const bool both = *i == *j;
      ++i;
      if (both) ++j;
    } else {
      ++j;
    }
  }
  return static_cast<double>(common) / static_cast<double>(shorter);
}

}  // namespace warpmind::agents
