#include "syntax/text_edit.h"

#include <algorithm>

namespace warpmind::syntax {

std::string apply_edits(std::string_view source, std::vector<TextEdit> edits) {
  std::stable_sort(edits.begin(), edits.end(), [](const TextEdit& a, const TextEdit& b) {
    // What is inserted where something is replaced comes before it.
    if (a.range.begin != b.range.begin) return a.range.begin < b.range.begin;
    return a.range.begin == a.range.end && b.range.begin != b.range.end;
  });
  std::string result;
  std::size_t at = 0;
  for (const auto& edit : edits) {
    result += source.substr(at, edit.range.begin - at);
    result += edit.text;
    at = edit.range.end;
  }
  return result += source.substr(at);
}

std::string edited_part(std::string_view source, Range range, const std::vector<TextEdit>& edits) {
  std::vector<TextEdit> inside;
  for (const auto& edit : edits) {
    if (edit.range.begin < range.begin || edit.range.end > range.end) continue;
    inside.push_back({{edit.range.begin - range.begin, edit.range.end - range.begin}, edit.text});
  }
  return apply_edits(source.substr(range.begin, range.end - range.begin), std::move(inside));
}

}  // namespace warpmind::syntax
