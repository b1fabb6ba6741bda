#include "knowledge_base/source_blob.h"

#include <cstdint>
#include <zstd.h>

namespace warpmind::knowledge_base {
namespace {

constexpr std::size_t kLengthBytes = 4;
/// Far above any translation unit; a damaged length must not make us allocate the machine.
constexpr unsigned long long kLargestSource = 64ULL * 1024 * 1024;
/// zstd's own default: sources shrink 4 to 5 times at 300 MB/s, more effort gains a few percent.
constexpr int kCompressionLevel = 3;

}  // namespace

Result<std::string> pack_source(std::string_view header, std::string_view source) {
  if (source.size() > kLargestSource) {
    return fail(Errc::invalid_argument, "cannot store a kernel: its source has " +
                                            std::to_string(source.size()) +
                                            " bytes, the limit is 64 MiB");
  }
  std::string payload;
  for (std::size_t i = kLengthBytes; i > 0; --i) {
    payload += static_cast<char>((header.size() >> (8 * (i - 1))) & 0xffU);
  }
  payload += header;
  const std::size_t prefix = payload.size();
  payload.resize(prefix + ZSTD_compressBound(source.size()));
  const std::size_t packed = ZSTD_compress(payload.data() + prefix, payload.size() - prefix,
                                           source.data(), source.size(), kCompressionLevel);
  if (ZSTD_isError(packed) != 0) {
    return fail(Errc::external_failure,
                std::string("zstd cannot compress a source: ") + ZSTD_getErrorName(packed));
  }
  payload.resize(prefix + packed);
  return payload;
}

Result<SourceBlob> unpack_source(std::string_view payload) {
  if (payload.size() < kLengthBytes) {
    return fail(Errc::corrupt_data, "stored kernel is shorter than its length field");
  }
  std::size_t length = 0;
  for (std::size_t i = 0; i < kLengthBytes; ++i) {
    length = (length << 8U) | static_cast<unsigned char>(payload[i]);
  }
  payload.remove_prefix(kLengthBytes);
  if (length > payload.size()) {
    return fail(Errc::corrupt_data, "stored kernel is cut inside its header");
  }
  SourceBlob blob;
  blob.header = payload.substr(0, length);
  const std::string_view frame = payload.substr(length);
  const auto size = ZSTD_getFrameContentSize(frame.data(), frame.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > kLargestSource) {
    return fail(Errc::corrupt_data, "stored kernel has no valid zstd frame");
  }
  blob.source.resize(size);
  const std::size_t unpacked =
      ZSTD_decompress(blob.source.data(), blob.source.size(), frame.data(), frame.size());
  if (ZSTD_isError(unpacked) != 0 || unpacked != size) {
    return fail(Errc::corrupt_data, "stored kernel cannot be decompressed");
  }
  return blob;
}

}  // namespace warpmind::knowledge_base
