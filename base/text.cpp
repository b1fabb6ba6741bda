#include "base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace warpmind {
namespace {

constexpr std::string_view kHexDigits = "0123456789abcdef";

constexpr char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

template <class T>
std::string shortest(T value) {
  std::array<char, 40> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} ? std::string(text.data(), end) : "?";
}

}  // namespace

std::vector<std::string_view> split_text(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

std::vector<std::string_view> split_terminated(std::string_view text, char end) {
  auto parts = split_text(text, end);
  if (parts.back().empty()) parts.pop_back();
  return parts;
}

std::vector<std::string_view> split_lines(std::string_view text) {
  return split_terminated(text, '\n');
}

std::string first_line(std::string_view text) {
  return std::string(text.substr(0, text.find('\n')));
}

std::string_view trim_left(std::string_view text, std::string_view blanks) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  return text;
}

std::string_view trim_text(std::string_view text, std::string_view blanks) {
  text = trim_left(text, blanks);
  return text.substr(0, text.find_last_not_of(blanks) + 1);
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
  if (text.size() <= bytes) return text;
  while (bytes > 0 && is_utf8_continuation(text[bytes])) --bytes;
  return text.substr(0, bytes);
}

std::string quoted_name(std::string_view name) {
  constexpr std::size_t kLongest = 64;
  const std::string_view shown = utf8_prefix(name, kLongest);
  return "'" + std::string(shown) + (shown.size() < name.size() ? "…'" : "'");
}

bool contains_word(std::string_view text, std::string_view word) {
  for (auto at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_word_character(text[at - 1]);
    if (begins && (end == text.size() || !is_word_character(text[end]))) return true;
  }
  return false;
}

std::string replace_text(std::string text, std::string_view from, std::string_view to) {
  if (from.empty()) return text;
  for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
  return text;
}

std::string name_in_words(std::string_view name) {
  return replace_text(std::string(name), "_", " ");
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

bool equals_ignoring_case(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

bool is_all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::string fixed(double value, int digits) {
  std::array<char, 64> text{};
  const int length = std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return length > 0 && static_cast<std::size_t>(length) < text.size() ? text.data() : "?";
}

std::string significant(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, value);  // NOLINT(cert-err33-c)
  return text.data();
}

std::string shortest_number(double value) { return shortest(value); }
std::string shortest_number(float value) { return shortest(value); }

std::string time_text(double ns) {
  const bool long_one = ns >= 999'500;
  const double value = ns / (long_one ? 1e6 : 1e3);
  return fixed(value, value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2) + (long_one ? " ms" : " µs");
}

std::string factor_text(double factor) { return fixed(factor, 2) + "x"; }

std::string log_factor_text(double log_factor) { return factor_text(std::exp(log_factor)); }

std::string count_noun(std::int64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::string utc_time_text(std::int64_t unix_seconds) {
  const auto time = static_cast<std::time_t>(unix_seconds);
  std::tm parts{};
  std::array<char, 32> text{};
  if (::gmtime_r(&time, &parts) == nullptr) return "";
  const auto length = std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text.data(), length};
}

std::string encode_hex(std::string_view bytes) {
  std::string digits;
  digits.reserve(2 * bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    digits += kHexDigits[byte >> 4U];
    digits += kHexDigits[byte & 15U];
  }
  return digits;
}

std::optional<std::string> decode_hex(std::string_view digits) {
  if (digits.size() % 2 != 0) return std::nullopt;
  std::string bytes;
  bytes.reserve(digits.size() / 2);
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    const std::size_t high = kHexDigits.find(digits[i]);
    const std::size_t low = kHexDigits.find(digits[i + 1]);
    if (high == std::string_view::npos || low == std::string_view::npos) return std::nullopt;
    bytes += static_cast<char>(high * 16 + low);
  }
  return bytes;
}

bool is_hex(std::string_view text) {
  return !text.empty() && text.find_first_not_of(kHexDigits) == std::string_view::npos;
}

}  // namespace warpmind
