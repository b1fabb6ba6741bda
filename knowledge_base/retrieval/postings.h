#pragma once
/// \file
/// Postings of a term as bytes: the documents of one bucket that contain it, four bytes each.
///
/// `[document within its bucket: 2 bytes, little-endian][times in it][length of the document]`.
/// A fixed size, so that a posting is appended without reading what is there, and so that the
/// number of documents is the number of bytes over four. Documents are appended in ascending order.

#include "base/result.h"

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace warpmind::knowledge_base {

/// Documents of a bucket: 2^kBucketBits. Keys are made of this: a change needs a rebuild.
inline constexpr unsigned kBucketBits = 16;
inline constexpr std::size_t kBucketDocuments = std::size_t{1} << kBucketBits;
inline constexpr std::size_t kPostingBytes = 4;

[[nodiscard]] constexpr std::int64_t bucket_of(std::int64_t document) {
  return document >> kBucketBits;
}

struct Posting {
  std::uint16_t document = 0;  ///< within its bucket
  std::uint8_t times = 1;      ///< at least 1; 255 means 255 or more
  std::uint8_t length = 1;     ///< tokens of the document, at least 1
  bool operator==(const Posting&) const = default;
};

void append_posting(std::string& bytes, const Posting& posting);

/// Postings in place. The bytes must outlive it.
class PostingsView {
 public:
  PostingsView() = default;
  /// Errors: corrupt_data when `bytes` is no whole number of postings.
  [[nodiscard]] static Result<PostingsView> over(std::string_view bytes);

  [[nodiscard]] std::size_t size() const { return bytes_.size() / kPostingBytes; }
  [[nodiscard]] Posting operator[](std::size_t at) const {
    std::uint32_t bits = 0;
    std::memcpy(&bits, bytes_.data() + at * kPostingBytes, kPostingBytes);
    if constexpr (std::endian::native == std::endian::big) bits = __builtin_bswap32(bits);
    return {static_cast<std::uint16_t>(bits & 0xffffU), static_cast<std::uint8_t>(bits >> 16U),
            static_cast<std::uint8_t>(bits >> 24U)};
  }
  /// First position from `at` on whose document is not below `document`; size() when there is none.
  /// Fast where that is near `at`.
  [[nodiscard]] std::size_t seek(std::size_t at, std::uint16_t document) const;
  /// Whether documents ascend, without a repeat: what seek() relies on.
  [[nodiscard]] bool ascending() const;

 private:
  explicit PostingsView(std::string_view bytes) : bytes_(bytes) {}
  std::string_view bytes_;
};

}  // namespace warpmind::knowledge_base
