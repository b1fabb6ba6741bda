#pragma once
/// \file
/// Edits of source text by byte ranges: what is not edited keeps its comments and its layout.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::syntax {

/// Half-open byte range.
struct Range {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool operator==(const Range&) const = default;
};

/// Replaces `range` by `text`; an empty range inserts.
struct TextEdit {
  Range range;
  std::string text;
};

/// Applies edits that do not overlap, in any order; insertions at one place keep theirs.
[[nodiscard]] std::string apply_edits(std::string_view source, std::vector<TextEdit> edits);

/// `text[range]` with the edits that lie inside of it; others are left out.
[[nodiscard]] std::string edited_part(std::string_view source, Range range,
                                      const std::vector<TextEdit>& edits);

}  // namespace warpmind::syntax
