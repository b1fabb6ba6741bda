#include "agents/writing/quoted_text.h"

#include "base/text.h"
#include "config/source_text.h"

#include <algorithm>

namespace warpmind::agents::writing {
namespace {

constexpr std::string_view kCut = " … (cut)";

}  // namespace

std::string quoted_text(std::string_view text, std::size_t limit) {
  const bool cut = text.size() > limit;
  if (cut) {
    text = utf8_prefix(text, limit > kCut.size() ? limit - kCut.size() : 0);
  }
  std::string out(text);
  for (auto bad = config::find_invalid_utf8(out); bad; bad = config::find_invalid_utf8(out)) {
    out[*bad] = '?';
  }
  std::replace_if(
      out.begin(), out.end(),
      [](char c) {
        return (static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f;
      },
      '?');
  if (cut) out += kCut;
  return out;
}

std::string quoted_line(std::string_view text, std::size_t limit) {
  std::string line = quoted_text(text, limit);
  std::replace_if(
      line.begin(), line.end(), [](char c) { return c == '\n' || c == '\t'; }, ' ');
  return line;
}

}  // namespace warpmind::agents::writing
