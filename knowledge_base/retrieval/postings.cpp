#include "knowledge_base/retrieval/postings.h"

#include <algorithm>

namespace warpmind::knowledge_base {

void append_posting(std::string& bytes, const Posting& posting) {
  bytes += static_cast<char>(posting.document & 0xffU);
  bytes += static_cast<char>(posting.document >> 8U);
  bytes += static_cast<char>(posting.times);
  bytes += static_cast<char>(posting.length);
}

Result<PostingsView> PostingsView::over(std::string_view bytes) {
  if (bytes.size() % kPostingBytes != 0) {
    return fail(Errc::corrupt_data, "stored postings have " + std::to_string(bytes.size()) +
                                        " bytes, which is no multiple of four; run a rebuild");
  }
  return PostingsView(bytes);
}

std::size_t PostingsView::seek(std::size_t at, std::uint16_t document) const {
  constexpr std::size_t kNear = 16;  // one cache line: cheaper to walk than to jump
  const std::size_t near = std::min(at + kNear, size());
  for (; at < near; ++at) {
    if ((*this)[at].document >= document) return at;
  }
  std::size_t step = kNear;
  std::size_t below = at;  // everything before it is below `document`
  while (at < size() && (*this)[at].document < document) {
    below = at + 1;
    at += step;
    step *= 2;
  }
  std::size_t end = std::min(at, size());
  while (below < end) {
    const std::size_t middle = below + (end - below) / 2;
    if ((*this)[middle].document < document) {
      below = middle + 1;
    } else {
      end = middle;
    }
  }
  return below;
}

bool PostingsView::ascending() const {
  for (std::size_t i = 1; i < size(); ++i) {
    if ((*this)[i].document <= (*this)[i - 1].document) return false;
  }
  return true;
}

}  // namespace warpmind::knowledge_base
