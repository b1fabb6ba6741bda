#pragma once
/// \file
/// Text: joined, split, trimmed, searched and replaced, and numbers as people read them. Bytes are
/// ASCII or UTF-8; letters and blanks are those of ASCII whatever the locale.

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace warpmind {

/// Space, tab, line feed, vertical tab, form feed, carriage return.
inline constexpr std::string_view kBlanks = " \t\n\v\f\r";

// Joining

/// `form(part)` of each part with `between` between two of them, empty ones included.
template <class Range, class Form = std::identity>
[[nodiscard]] std::string join_text(const Range& parts, std::string_view between, Form form = {}) {
  std::string text;
  bool is_first = true;
  for (const auto& part : parts) {
    if (!is_first) text += between;
    is_first = false;
    text += std::invoke(form, part);
  }
  return text;
}

/// `form(line)` of each line with a line feed behind it; "" for no lines.
template <class Range, class Form = std::identity>
[[nodiscard]] std::string join_lines(const Range& lines, Form form = {}) {
  std::string text;
  for (const auto& line : lines) {
    text += std::invoke(form, line);
    text += '\n';
  }
  return text;
}

/// A choice as a sentence gives it: "a", "a or b", "a, b or c"; "" for no words.
template <class Range>
[[nodiscard]] std::string join_choices(const Range& words) {
  std::string text;
  std::size_t left = std::size(words);
  for (const auto& word : words) {
    if (!text.empty()) text += left == 1 ? " or " : ", ";
    text += word;
    --left;
  }
  return text;
}

// Splitting. Views are into `text`.

/// Parts between separators, one more than there are: "a,,b," is "a", "", "b", ""; "" is one empty
/// part.
[[nodiscard]] std::vector<std::string_view> split_text(std::string_view text, char separator);

/// Parts that each end with `end`, which the last may lack: "a\nb\n" and "a\nb" are "a", "b"; ""
/// has none.
[[nodiscard]] std::vector<std::string_view> split_terminated(std::string_view text, char end);

/// Lines without their line feeds; a carriage return stays.
[[nodiscard]] std::vector<std::string_view> split_lines(std::string_view text);

/// Up to the first line feed; all of a text without one.
[[nodiscard]] std::string first_line(std::string_view text);

/// Without the blanks at both ends.
[[nodiscard]] std::string_view trim_text(std::string_view text, std::string_view blanks = kBlanks);
/// Without the blanks at the beginning.
[[nodiscard]] std::string_view trim_left(std::string_view text, std::string_view blanks = kBlanks);

/// A byte of UTF-8 that continues a character.
[[nodiscard]] constexpr bool is_utf8_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}
/// The longest beginning of at most `bytes` bytes that cuts no UTF-8 character.
[[nodiscard]] std::string_view utf8_prefix(std::string_view text, std::size_t bytes);

/// A name that somebody gave, as a message quotes it: 'name', and 'beginning…' beyond 64 bytes.
[[nodiscard]] std::string quoted_name(std::string_view name);

// Searching and replacing

[[nodiscard]] constexpr bool is_letter_or_digit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}
/// A letter, a digit or an underscore: what names in C++ are made of.
[[nodiscard]] constexpr bool is_word_character(char c) { return is_letter_or_digit(c) || c == '_'; }
/// Whether `word` occurs in `text` with no word character right before or behind it.
[[nodiscard]] bool contains_word(std::string_view text, std::string_view word);

/// Whether one of `parts` occurs in `text`.
template <class Range>
[[nodiscard]] constexpr bool contains_any_text(std::string_view text, const Range& parts) {
  for (const std::string_view part : parts) {
    if (text.find(part) != std::string_view::npos) return true;
  }
  return false;
}
/// Whether `text` begins with one of `prefixes`.
template <class Range>
[[nodiscard]] constexpr bool starts_with_any(std::string_view text, const Range& prefixes) {
  for (const std::string_view prefix : prefixes) {
    if (text.starts_with(prefix)) return true;
  }
  return false;
}

/// Every `from` replaced by `to`, from left to right; what is put in is not searched again. An
/// empty `from` is found nowhere.
[[nodiscard]] std::string replace_text(std::string text, std::string_view from,
                                       std::string_view to);

/// A name of an enumerator for people: "uncoalesced access" for "uncoalesced_access".
[[nodiscard]] std::string name_in_words(std::string_view name);

/// The letters A to Z as a to z.
[[nodiscard]] std::string lower_case(std::string_view text);
[[nodiscard]] bool equals_ignoring_case(std::string_view a, std::string_view b);

// Numbers

/// Digits 0 to 9 and at least one.
[[nodiscard]] bool is_all_digits(std::string_view text);

/// The number that `text` is from its first to its last byte; nullopt for anything before or behind
/// it, a plus sign, and a number that T cannot hold. For floating point "inf" and "nan" are
/// numbers.
template <class T>
[[nodiscard]] std::optional<T> parse_number(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}
/// The same of an integer in another base, without a prefix such as 0x.
template <class T>
[[nodiscard]] std::optional<T> parse_number(std::string_view text, int base) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value, base);
  if (error != std::errc{} || stopped != end) return std::nullopt;
  return value;
}

/// `value` with `digits` digits after the point: fixed(1.5, 2) is "1.50". "?" beyond 63 characters.
[[nodiscard]] std::string fixed(double value, int digits);

/// `value` with at most `digits` digits that count: significant(0.00012345, 3) is "0.000123",
/// significant(1e9, 4) is "1e+09".
[[nodiscard]] std::string significant(double value, int digits = 4);

/// The shortest text that reads as the same number: "0.1", "1e+30".
[[nodiscard]] std::string shortest_number(double value);
[[nodiscard]] std::string shortest_number(float value);

/// Three digits that count: "6.99 µs", "447 µs", "12.1 ms".
[[nodiscard]] std::string time_text(double ns);

/// A ratio: "1.85x".
[[nodiscard]] std::string factor_text(double factor);

/// The ratio whose natural logarithm is `log_factor`: "1.85x".
[[nodiscard]] std::string log_factor_text(double log_factor);

/// "1 kernel", "3 kernels".
[[nodiscard]] std::string count_noun(std::int64_t count, std::string_view noun);

/// "2026-11-26T09:30:00Z"; "" for a year that has no such text.
[[nodiscard]] std::string utc_time_text(std::int64_t unix_seconds);

/// Two digits of 0 to f a byte.
[[nodiscard]] std::string encode_hex(std::string_view bytes);
/// nullopt for an odd number of digits and for anything but 0 to 9 and a to f.
[[nodiscard]] std::optional<std::string> decode_hex(std::string_view digits);
/// Digits of encode_hex() and nothing else; an empty text is none.
[[nodiscard]] bool is_hex(std::string_view text);

}  // namespace warpmind
