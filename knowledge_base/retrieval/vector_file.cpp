#include "knowledge_base/retrieval/vector_file.h"

#include "knowledge_base/retrieval/stable_hash.h"
#include "knowledge_base/retrieval/stored_vector.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

namespace warpmind::knowledge_base {
namespace {

// A row: [document 4][guard 8][half precision, 2 a component][checksum 8], little-endian.
constexpr std::size_t kDocumentBytes = 4;
constexpr std::size_t kGuardBytes = 8;
constexpr std::size_t kSumBytes = 8;
constexpr std::size_t kHeadBytes = kDocumentBytes + kGuardBytes;
constexpr std::size_t kBytesAtOnce = 1024UL * 1024;
/// A number above it was never given to a document.
constexpr std::uint64_t kMostDocument = 1ULL << 31U;

Error failure(const char* what) {
  const Errc code = errno == ENOSPC ? Errc::unavailable : Errc::external_failure;
  return {code, std::string("the file of vectors cannot be ") + what + ": " + std::strerror(errno)};
}

std::string header_of(const VectorFileKind& kind) {
  return "warpmind vectors 1\n" + kind.embedder + "\n" + kind.base + "\n";
}

void put_number(std::string& bytes, std::uint64_t number, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(number >> (8 * i));
}

std::uint64_t number_at(std::string_view bytes, std::size_t at, std::size_t count) {
  std::uint64_t number = 0;
  for (std::size_t i = count; i-- > 0;) {
    number = (number << 8U) | static_cast<unsigned char>(bytes[at + i]);
  }
  return number;
}

/// Fewer bytes than asked for only at the end of the file.
Result<std::string> read_at(int file, std::size_t offset, std::size_t count) {
  std::string bytes(count, '\0');
  std::size_t have = 0;
  while (have < count) {
    const ssize_t n =
        ::pread(file, bytes.data() + have, count - have, static_cast<off_t>(offset + have));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(failure("read"));
    if (n == 0) break;
    have += static_cast<std::size_t>(n);
  }
  bytes.resize(have);
  return bytes;
}

Result<void> write_at(int file, std::size_t offset, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(failure("written"));
    bytes.remove_prefix(static_cast<std::size_t>(n));
    offset += static_cast<std::size_t>(n);
  }
  return {};
}

bool is_whole(std::string_view row) {
  const std::size_t payload = row.size() - kSumBytes;
  return stable_hash(row.substr(0, payload)) == number_at(row, payload, kSumBytes);
}

}  // namespace

Result<VectorFile> VectorFile::open(const std::filesystem::path& path, const VectorFileKind& kind) {
  WARPMIND_CHECK(make_private_directory(path.parent_path()));
  constexpr mode_t kOwnerOnly = 0600;
  UniqueFd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, kOwnerOnly));
  if (!file) return fail(failure("opened"));
  const std::string header = header_of(kind);
  WARPMIND_TRY(const auto found, read_at(file.get(), 0, header.size()));
  if (found != header) {
    if (::ftruncate(file.get(), 0) != 0) return fail(failure("emptied"));
    WARPMIND_CHECK(write_at(file.get(), 0, header));
  }
  VectorFile opened(std::move(file), kind.dimension, header.size());
  WARPMIND_CHECK(opened.index_rows());
  return opened;
}

std::size_t VectorFile::row_bytes() const { return kHeadBytes + 2 * dimension_ + kSumBytes; }

Result<void> VectorFile::index_rows() {
  struct stat status {};
  if (::fstat(file_.get(), &status) != 0) return fail(failure("looked at"));
  const auto size = static_cast<std::size_t>(status.st_size);
  const std::size_t whole = (size - header_bytes_) / row_bytes();
  const std::size_t at_once = std::max<std::size_t>(1, kBytesAtOnce / row_bytes());
  while (rows_ < whole) {
    const std::size_t count = std::min(at_once, whole - rows_);
    WARPMIND_TRY(const auto bytes,
                 read_at(file_.get(), header_bytes_ + rows_ * row_bytes(), count * row_bytes()));
    for (std::size_t i = 0; i < bytes.size() / row_bytes(); ++i) {
      const auto row = std::string_view(bytes).substr(i * row_bytes(), row_bytes());
      const std::uint64_t document = number_at(row, 0, kDocumentBytes);
      if (!is_whole(row) || document == 0 || document > kMostDocument) continue;
      const std::uint64_t guard = number_at(row, kDocumentBytes, kGuardBytes);
      note(static_cast<std::int64_t>(document), {guard, rows_ + i + 1});
    }
    rows_ += count;
  }
  return {};
}

void VectorFile::note(std::int64_t document, Place place) {
  const auto at = static_cast<std::size_t>(document);
  if (at >= places_.size()) places_.resize(at + 1);
  places_[at] = place;
}

bool VectorFile::has(std::int64_t document, std::uint64_t guard) const {
  const auto at = static_cast<std::size_t>(document);
  return at < places_.size() && places_[at].row != 0 && places_[at].guard == guard;
}

std::string VectorFile::encode(const VectorRow& row) const {
  std::string bytes;
  bytes.reserve(row_bytes());
  put_number(bytes, static_cast<std::uint64_t>(row.document), kDocumentBytes);
  put_number(bytes, row.guard, kGuardBytes);
  bytes += encode_halves(row.vector);
  put_number(bytes, stable_hash(bytes), kSumBytes);
  return bytes;
}

Result<void> VectorFile::append(std::span<const VectorRow> rows) {
  std::string bytes;
  for (const auto& row : rows) bytes += encode(row);
  // Written at a place, not at the end: what a failed write left there is written over.
  WARPMIND_CHECK(write_at(file_.get(), header_bytes_ + rows_ * row_bytes(), bytes));
  for (const auto& row : rows) note(row.document, {row.guard, ++rows_});
  return {};
}

Result<void> VectorFile::read(std::int64_t document, std::span<float> out) const {
  const auto at = static_cast<std::size_t>(document);
  if (at >= places_.size() || places_[at].row == 0) {
    return fail(Errc::not_found, "no vector of document " + std::to_string(document));
  }
  const std::size_t offset = header_bytes_ + (places_[at].row - 1) * row_bytes();
  WARPMIND_TRY(const auto row, read_at(file_.get(), offset, row_bytes()));
  if (row.size() != row_bytes() || !is_whole(row)) {
    return fail(Errc::corrupt_data, "the file of vectors was changed by somebody else");
  }
  return decode_halves(std::string_view(row).substr(kHeadBytes, 2 * dimension_), out);
}

}  // namespace warpmind::knowledge_base
