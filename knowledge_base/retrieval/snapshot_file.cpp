#include "knowledge_base/retrieval/snapshot_file.h"

#include "base/file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <memory>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include <openssl/evp.h>

namespace warpmind::knowledge_base {
namespace {

constexpr std::string_view kMagic = "WMINDEX1";
constexpr std::size_t kNameBytes = 48;
constexpr std::size_t kHeaderBytes = 512;
constexpr std::size_t kDigestBytes = 32;
constexpr std::size_t kHeaderDigestAt = kHeaderBytes - kDigestBytes;

struct ContextDeleter {
  void operator()(EVP_MD_CTX* context) const noexcept { EVP_MD_CTX_free(context); }
};

/// SHA-256 over pieces.
class PieceHash {
 public:
  PieceHash() : context_(EVP_MD_CTX_new()) {
    EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr);
  }
  void add(std::string_view piece) { EVP_DigestUpdate(context_.get(), piece.data(), piece.size()); }
  Digest finish() {
    Digest digest{};
    EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr);
    return digest;
  }

 private:
  std::unique_ptr<EVP_MD_CTX, ContextDeleter> context_;
};

void append_number(std::string& bytes, std::uint64_t value) {
  for (unsigned i = 0; i < 8; ++i) bytes += static_cast<char>((value >> (8 * i)) & 0xffU);
}

void append_name(std::string& bytes, std::string_view name) {
  std::string field(name.substr(0, kNameBytes));
  field.resize(kNameBytes, '\0');
  bytes += field;
}

void append_digest(std::string& bytes, const Digest& digest) {
  bytes.append(digest.begin(), digest.end());
}

std::string encode_header(const SnapshotHeader& header, std::uint64_t payload_bytes,
                          const Digest& payload) {
  std::string bytes(kMagic);
  for (const auto& name : {header.space, header.embedder, header.base}) append_name(bytes, name);
  append_number(bytes, header.library);
  append_number(bytes, header.dimension);
  append_number(bytes, header.count);
  append_number(bytes, static_cast<std::uint64_t>(header.last_sequence));
  append_digest(bytes, header.chain);
  append_number(bytes, payload_bytes);
  append_digest(bytes, payload);
  bytes.resize(kHeaderDigestAt, '\0');
  append_digest(bytes, sha256(bytes));
  return bytes;
}

class HeaderReader {
 public:
  explicit HeaderReader(std::string_view bytes) : bytes_(bytes) {}
  std::string_view take(std::size_t count) {
    const auto field = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return field;
  }
  std::string name() {
    const auto field = take(kNameBytes);
    return std::string(field.substr(0, field.find('\0')));
  }
  std::uint64_t number() {
    std::uint64_t value = 0;
    const auto field = take(8);
    for (std::size_t i = 8; i > 0; --i) {
      value = (value << 8U) | static_cast<unsigned char>(field[i - 1]);
    }
    return value;
  }
  Digest digest() {
    Digest digest{};
    std::memcpy(digest.data(), take(kDigestBytes).data(), kDigestBytes);
    return digest;
  }

 private:
  std::string_view bytes_;
};

Error damaged(const std::filesystem::path& path, const char* what) {
  return {Errc::corrupt_data, path.string() + ": " + what};
}

Error disk_error(const char* what, const std::filesystem::path& path) {
  const int code = errno;
  return {code == ENOSPC   ? Errc::unavailable
          : code == ENOENT ? Errc::not_found
                           : Errc::external_failure,
          std::string(what) + " " + path.string() + ": " + std::strerror(code)};
}

Result<void> write_all(int fd, std::string_view bytes, const std::filesystem::path& path) {
  while (!bytes.empty()) {
    const ssize_t n = ::write(fd, bytes.data(), bytes.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail(disk_error("cannot write", path));
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return {};
}

Result<void> write_content(int fd, const std::filesystem::path& path, const SnapshotHeader& header,
                           const std::function<Result<void>(const WritePiece& write)>& payload) {
  // The header is known when the payload is written; until then its place holds zeros.
  WARPMIND_CHECK(write_all(fd, std::string(kHeaderBytes, '\0'), path));
  PieceHash hash;
  std::uint64_t length = 0;
  WARPMIND_CHECK(payload([&](std::string_view piece) -> Result<void> {
    hash.add(piece);
    length += piece.size();
    return write_all(fd, piece, path);
  }));
  if (::lseek(fd, 0, SEEK_SET) != 0) return fail(disk_error("cannot seek in", path));
  WARPMIND_CHECK(write_all(fd, encode_header(header, length, hash.finish()), path));
  if (::fsync(fd) != 0) return fail(disk_error("cannot sync", path));
  return {};
}

}  // namespace

Result<void> write_snapshot(const std::filesystem::path& path, const SnapshotHeader& header,
                            const std::function<Result<void>(const WritePiece& write)>& payload) {
  const std::filesystem::path temporary = path.string() + ".tmp";
  const UniqueFd fd(
      ::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!fd) return fail(disk_error("cannot create", temporary));
  auto written = write_content(fd.get(), temporary, header, payload);
  if (written && ::rename(temporary.c_str(), path.c_str()) != 0) {
    written = fail(disk_error("cannot rename to", path));
  }
  if (!written) {
    ::unlink(temporary.c_str());
    return written;
  }
  const UniqueFd folder(::open(path.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder) ::fsync(folder.get());
  return {};
}

Result<SnapshotFile> SnapshotFile::open(const std::filesystem::path& path) {
  const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!fd) return fail(disk_error("cannot open", path));
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) return fail(disk_error("cannot stat", path));
  const auto length = static_cast<std::size_t>(status.st_size);
  if (!S_ISREG(status.st_mode) || length < kHeaderBytes) {
    return fail(damaged(path, "is too short for a snapshot"));
  }
  void* mapped = ::mmap(nullptr, length, PROT_READ, MAP_PRIVATE | MAP_POPULATE, fd.get(), 0);
  if (mapped == MAP_FAILED) return fail(disk_error("cannot map", path));
  SnapshotFile file;
  file.mapped_ = mapped;
  file.length_ = length;
  const std::string_view bytes(static_cast<const char*>(mapped), length);
  HeaderReader fields(bytes.substr(0, kHeaderBytes));
  if (fields.take(kMagic.size()) != kMagic) return fail(damaged(path, "is no snapshot"));
  if (HeaderReader(bytes.substr(kHeaderDigestAt)).digest() !=
      sha256(bytes.substr(0, kHeaderDigestAt))) {
    return fail(damaged(path, "its header is damaged"));
  }
  auto& header = file.header_;
  for (auto* name : {&header.space, &header.embedder, &header.base}) *name = fields.name();
  header.library = static_cast<std::uint32_t>(fields.number());
  header.dimension = static_cast<std::uint32_t>(fields.number());
  header.count = fields.number();
  header.last_sequence = static_cast<std::int64_t>(fields.number());
  header.chain = fields.digest();
  file.payload_ = bytes.substr(kHeaderBytes);
  if (fields.number() != file.payload_.size()) return fail(damaged(path, "it is cut short"));
  PieceHash hash;
  hash.add(file.payload_);
  if (fields.digest() != hash.finish()) return fail(damaged(path, "its content is damaged"));
  return file;
}

SnapshotFile::~SnapshotFile() {
  if (mapped_ != nullptr) ::munmap(mapped_, length_);
}

SnapshotFile::SnapshotFile(SnapshotFile&& other) noexcept
    : mapped_(std::exchange(other.mapped_, nullptr)),
      length_(other.length_),
      header_(std::move(other.header_)),
      payload_(other.payload_) {}

}  // namespace warpmind::knowledge_base
