#include "config/source_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>

namespace warpmind::config {
namespace {

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}
bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

// Length of a well-formed UTF-8 sequence at the start of `text`, 0 if there is none.
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xf0 && byte(1) < 0x90);
  const bool surrogate = lead == 0xed && byte(1) >= 0xa0;
  const bool beyond = lead == 0xf4 && byte(1) >= 0x90;
  return overlong || surrogate || beyond ? 0 : length;
}

// Position after a literal that starts with the quote at `at`.
std::size_t end_of_literal(std::string_view source, std::size_t at) {
  const char quote = source[at];
  for (++at; at < source.size() && source[at] != quote && source[at] != '\n'; ++at) {
    if (source[at] == '\\') ++at;
  }
  return std::min(at + 1, source.size());
}

std::size_t find_word(std::string_view code, std::string_view word, std::size_t from) {
  for (auto at = code.find(word, from); at != std::string_view::npos;
       at = code.find(word, at + 1)) {
    const auto end = at + word.size();
    const bool starts = at == 0 || !is_word_character(code[at - 1]);
    if (starts && (end == code.size() || !is_word_character(code[end]))) return at;
  }
  return std::string_view::npos;
}

// Position after the parenthesis that closes the one at `open`; code.size() when none does.
std::size_t end_of_parentheses(std::string_view code, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < code.size(); ++at) {
    if (code[at] == '(') ++depth;
    if (code[at] == ')' && --depth == 0) return at + 1;
  }
  return code.size();
}

std::size_t count_parameters(std::string_view list) {
  int depth = 0;
  std::size_t commas = 0;
  std::string words;
  for (const char c : list) {
    if (std::string_view("(<[{").find(c) != std::string_view::npos) ++depth;
    if (std::string_view(")>]}").find(c) != std::string_view::npos) --depth;
    if (c == ',' && depth == 0) ++commas;
    if (!is_space(c)) words += c;
  }
  return words.empty() || words == "void" ? 0 : commas + 1;
}

// The declarator after `__global__`: the first name before a parenthesis that is no attribute.
std::optional<GlobalFunction> read_declarator(std::string_view code, std::size_t at) {
  constexpr std::array<std::string_view, 7> kAttributes{
      "__launch_bounds__", "__cluster_dims__", "__maxnreg__", "__block_size__",
      "__attribute__",     "__declspec",       "alignas"};
  std::string_view word;
  while (at < code.size() && code[at] != ';' && code[at] != '{') {
    if (is_word_character(code[at])) {
      const std::size_t start = at;
      while (at < code.size() && is_word_character(code[at])) ++at;
      word = code.substr(start, at - start);
    } else if (code[at] == '(') {
      const std::size_t end = end_of_parentheses(code, at);
      const bool attribute =
          std::find(kAttributes.begin(), kAttributes.end(), word) != kAttributes.end();
      if (!attribute && !word.empty()) {
        const auto list = code.substr(at + 1, end > at + 1 ? end - at - 2 : 0);
        return GlobalFunction{std::string(word), count_parameters(list)};
      }
      at = end;
    } else {
      ++at;
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::size_t> find_invalid_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = sequence_length(text.substr(at));
    if (length == 0) return at;
    at += length;
  }
  return std::nullopt;
}

bool is_identifier(std::string_view text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::all_of(text.begin(), text.end(), is_word_character);
}

std::string without_comments(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (std::size_t at = 0; at < source.size();) {
    const auto rest = source.substr(at);
    std::size_t end = at + 1;
    if (rest.starts_with("//")) {
      end = std::min(source.find('\n', at), source.size());
      out += ' ';
    } else if (rest.starts_with("/*")) {
      const auto close = source.find("*/", at + 2);
      end = close == std::string_view::npos ? source.size() : close + 2;
      out += ' ';
      out.append(static_cast<std::size_t>(
                     std::count(source.begin() + static_cast<std::ptrdiff_t>(at),
                                source.begin() + static_cast<std::ptrdiff_t>(end), '\n')),
                 '\n');
    } else {
      // An apostrophe after a letter or digit separates digits (1'000) and opens no literal.
      const bool separator = rest.front() == '\'' && at > 0 && is_word_character(source[at - 1]);
      if (rest.front() == '"' || (rest.front() == '\'' && !separator)) {
        end = end_of_literal(source, at);
      }
      out += source.substr(at, end - at);
    }
    at = end;
  }
  return out;
}

bool contains_word(std::string_view code, std::string_view word) {
  return find_word(code, word, 0) != std::string_view::npos;
}

std::vector<GlobalFunction> find_global_functions(std::string_view code) {
  constexpr std::string_view kMark = "__global__";
  std::vector<GlobalFunction> found;
  for (auto at = find_word(code, kMark, 0); at != std::string_view::npos;
       at = find_word(code, kMark, at + 1)) {
    if (auto function = read_declarator(code, at + kMark.size())) found.push_back(*function);
  }
  return found;
}

}  // namespace warpmind::config
