#include "clients/cli/report/text.h"

#include "base/text.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

namespace warpmind::clients {
namespace {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t bytes = 1;
  bool valid = false;
};

/// Decodes the first code point; strict (no overlong forms, surrogates, or values above 10FFFF).
CodePoint first_code_point(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1, true};
  const std::size_t size = lead >= 0xF0 && lead < 0xF8   ? 4
                           : lead >= 0xE0 && lead < 0xF0 ? 3
                           : lead >= 0xC0 && lead < 0xE0 ? 2
                                                         : 0;
  if (size == 0 || text.size() < size) return {};
  std::uint32_t value = lead & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    value = (value << 6U) | (byte(i) & 0x3FU);
  }
  static constexpr std::array<std::uint32_t, 5> kSmallest{0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xD800 && value <= 0xDFFF;
  if (value < kSmallest.at(size) || surrogate || value > 0x10FFFF) return {};
  return {value, size, true};
}

/// Characters that change what a terminal shows around them.
bool is_dangerous(std::uint32_t c) {
  return c < 0x20 || (c >= 0x7F && c <= 0x9F) || (c >= 0x200B && c <= 0x200F) ||
         (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF;
}

std::size_t width_of(std::uint32_t c) {
  static constexpr auto kWide =
      std::to_array<std::pair<std::uint32_t, std::uint32_t>>({{0x1100, 0x115F},
                                                              {0x2E80, 0xA4CF},
                                                              {0xAC00, 0xD7A3},
                                                              {0xF900, 0xFAFF},
                                                              {0xFE30, 0xFE6F},
                                                              {0xFF00, 0xFF60},
                                                              {0xFFE0, 0xFFE6},
                                                              {0x1F300, 0x1FAFF},
                                                              {0x20000, 0x3FFFD}});
  const bool wide = std::any_of(kWide.begin(), kWide.end(), [c](const auto& range) {
    return c >= range.first && c <= range.second;
  });
  return wide ? 2 : 1;
}

}  // namespace

std::string clean(std::string_view foreign) {
  std::string safe;
  safe.reserve(foreign.size());
  while (!foreign.empty()) {
    const CodePoint c = first_code_point(foreign);
    if (c.valid && (c.value == '\n' || c.value == '\t')) {
      safe += static_cast<char>(c.value);
    } else if (c.valid && c.value == '\r' && foreign.substr(1, 1) == "\n") {
      // The line break after it is kept.
    } else if (!c.valid || is_dangerous(c.value)) {
      safe += '?';
    } else {
      safe += foreign.substr(0, c.bytes);
    }
    foreign.remove_prefix(c.bytes);
  }
  return safe;
}

std::string clean_line(std::string_view foreign) {
  std::string line = clean(foreign);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    columns += width_of(c.value);
    text.remove_prefix(c.bytes);
  }
  return columns;
}

std::string clip(std::string_view text, std::size_t columns) {
  if (columns_of(text) <= columns) return std::string(text);
  if (columns == 0) return {};
  std::string kept;
  std::size_t used = 0;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    used += width_of(c.value);
    if (used > columns - 1) break;
    kept += text.substr(0, c.bytes);
    text.remove_prefix(c.bytes);
  }
  return kept + "…";
}

std::string wrap(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string wrapped;
  std::string line;
  const auto flush = [&] {
    wrapped += std::string(indent, ' ') + line + "\n";
    line.clear();
  };
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (!line.empty() && indent + columns_of(line) + 1 + columns_of(word) > columns) flush();
    if (!line.empty()) line += ' ';
    line += word;
  }
  flush();
  return wrapped;
}

std::vector<std::string> fold(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  const std::string wrapped = wrap(text, 0, columns);
  for (std::string_view line : split_lines(wrapped)) {
    lines.emplace_back();
    std::size_t used = 0;
    while (!line.empty()) {
      const CodePoint c = first_code_point(line);
      const std::size_t width = width_of(c.value);
      if (used > 0 && used + width > columns) {
        lines.emplace_back();
        used = 0;
      }
      lines.back() += line.substr(0, c.bytes);
      used += width;
      line.remove_prefix(c.bytes);
    }
  }
  return lines;
}

std::string Paint::in(std::string_view code, std::string_view text) const {
  if (!color) return std::string(text);
  return "\x1b[" + std::string(code) + "m" + std::string(text) + "\x1b[0m";
}

}  // namespace warpmind::clients
