#include "daemon/lsp/text_document.h"

#include "base/text.h"

#include <algorithm>
#include <utility>

namespace warpmind::daemon::lsp {
namespace {

constexpr unsigned kFourBytes = 0xF0;  // such a character is two units of UTF-16

std::int64_t units_of(char first) {
  return static_cast<unsigned char>(first) >= kFourBytes ? 2 : 1;
}

/// The first line is alike in both; the number of such lines.
std::int64_t common_lines(const std::vector<std::string_view>& a,
                          const std::vector<std::string_view>& b) {
  const auto end = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return end.first - a.begin();
}

}  // namespace

TextDocument::TextDocument(std::string text, PositionEncoding encoding)
    : text_(std::move(text)), encoding_(encoding) {
  find_lines();
}

void TextDocument::set(std::string text) {
  text_ = std::move(text);
  find_lines();
}

void TextDocument::find_lines() {
  starts_.assign(1, 0);
  for (std::size_t at = text_.find('\n'); at != std::string::npos; at = text_.find('\n', at + 1)) {
    starts_.push_back(at + 1);
  }
}

void TextDocument::replace(Position begin, Position end, std::string_view text) {
  const std::size_t from = offset(begin);
  const std::size_t to = offset(end);
  if (to < from) return;
  text_.replace(from, to - from, text);
  find_lines();
}

std::string_view TextDocument::line(std::int64_t number) const {
  if (number < 0 || number >= lines()) return {};
  const std::size_t begin = starts_[static_cast<std::size_t>(number)];
  std::string_view line = std::string_view(text_).substr(begin);
  line = line.substr(0, line.find('\n'));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::size_t TextDocument::offset(Position position) const {
  if (position.line < 0) return 0;
  if (position.line >= lines()) return text_.size();
  const std::string_view text = line(position.line);
  const std::size_t start = starts_[static_cast<std::size_t>(position.line)];
  std::size_t at = 0;
  if (encoding_ == PositionEncoding::utf8) {
    at = std::min(static_cast<std::size_t>(std::max<std::int64_t>(position.character, 0)),
                  text.size());
    while (at > 0 && at < text.size() && is_utf8_continuation(text[at])) --at;
    return start + at;
  }
  std::int64_t units = 0;
  while (at < text.size() && units < position.character) {
    units += units_of(text[at]);
    do {
      ++at;
    } while (at < text.size() && is_utf8_continuation(text[at]));
  }
  return start + at;
}

Position TextDocument::position(std::size_t offset) const {
  offset = std::min(offset, text_.size());
  const auto next = std::upper_bound(starts_.begin(), starts_.end(), offset);
  const std::size_t start = *(next - 1);
  Position found{.line = next - starts_.begin() - 1, .character = 0};
  for (std::size_t at = start; at < offset; ++at) {
    if (encoding_ == PositionEncoding::utf8) {
      ++found.character;
    } else if (!is_utf8_continuation(text_[at])) {
      found.character += units_of(text_[at]);
    }
  }
  return found;
}

std::int64_t line_after_edit(std::string_view before, std::string_view after, std::int64_t line) {
  auto old_lines = split_text(before, '\n');
  auto new_lines = split_text(after, '\n');
  if (line < 0 || line >= std::ssize(old_lines)) return -1;
  const std::int64_t same_head = common_lines(old_lines, new_lines);
  if (line < same_head) return line;
  const std::int64_t from_end = std::ssize(old_lines) - line;  // 1 = the last line
  std::reverse(old_lines.begin(), old_lines.end());
  std::reverse(new_lines.begin(), new_lines.end());
  const std::int64_t shorter = std::min(std::ssize(old_lines), std::ssize(new_lines));
  const std::int64_t same_tail = std::min(common_lines(old_lines, new_lines), shorter - same_head);
  return from_end <= same_tail ? std::ssize(new_lines) - from_end : -1;
}

}  // namespace warpmind::daemon::lsp
