#pragma once
/// \file
/// Text on a terminal: columns, clipping, wrapping, and the defence against escape sequences.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::clients {

/// Makes text that somebody else wrote safe to print: control characters (also C1 and escape
/// sequences), bidirectional overrides and bytes that are not UTF-8 become '?'. Keeps line breaks
/// and tabs.
[[nodiscard]] std::string clean(std::string_view foreign);

/// As clean(), with line breaks and tabs turned into spaces.
[[nodiscard]] std::string clean_line(std::string_view foreign);

/// Columns that valid UTF-8 `text` takes; wide East Asian characters and emoji take two.
[[nodiscard]] std::size_t columns_of(std::string_view text);

/// At most `columns` wide; a cut is marked with "…".
[[nodiscard]] std::string clip(std::string_view text, std::size_t columns);

/// Breaks at spaces so that lines, each starting with `indent` spaces, stay within `columns` where
/// a word allows it. Ends with a line break.
[[nodiscard]] std::string wrap(std::string_view text, std::size_t indent, std::size_t columns);

/// Lines of at most `columns` (at least 1), broken at spaces, and within a word that is longer. At
/// least one line.
[[nodiscard]] std::vector<std::string> fold(std::string_view text, std::size_t columns);

/// ANSI colours, or none. Only words of ours are coloured, after padding.
struct Paint {
  bool color = false;
  [[nodiscard]] std::string good(std::string_view text) const { return in("32", text); }
  [[nodiscard]] std::string bad(std::string_view text) const { return in("31", text); }
  [[nodiscard]] std::string strong(std::string_view text) const { return in("1", text); }

 private:
  [[nodiscard]] std::string in(std::string_view code, std::string_view text) const;
};

}  // namespace warpmind::clients
