#pragma once
/// \file
/// The text of a file as an editor sees it: edited by positions, which count in the editor's units.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::daemon::lsp {

/// What `character` of a position counts.
enum class PositionEncoding { utf8, utf16 };

/// From 0.
struct Position {
  std::int64_t line = 0;
  std::int64_t character = 0;
  bool operator==(const Position&) const = default;
};

/// Positions beyond a line or the text mean its end, as the protocol asks.
class TextDocument {
 public:
  TextDocument(std::string text, PositionEncoding encoding);

  [[nodiscard]] const std::string& text() const { return text_; }
  void set(std::string text);
  /// Replaces what lies between; nothing when they are the wrong way round.
  void replace(Position begin, Position end, std::string_view text);

  [[nodiscard]] std::size_t offset(Position position) const;
  [[nodiscard]] Position position(std::size_t offset) const;
  [[nodiscard]] std::int64_t lines() const { return static_cast<std::int64_t>(starts_.size()); }
  /// Without its end of line. Empty beyond the text.
  [[nodiscard]] std::string_view line(std::int64_t number) const;

 private:
  void find_lines();

  std::string text_;
  PositionEncoding encoding_;
  std::vector<std::size_t> starts_;  // of each line
};

/// Where `line` of `before` (from 0) stands in `after`, when one stretch of lines was edited
/// between them; -1 when it is one of those.
[[nodiscard]] std::int64_t line_after_edit(std::string_view before, std::string_view after,
                                           std::int64_t line);

}  // namespace warpmind::daemon::lsp
