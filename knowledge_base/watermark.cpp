#include "knowledge_base/watermark.h"

#include "knowledge_base/fault_points.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>

namespace warpmind::knowledge_base {
namespace {

constexpr std::string_view kMagic = "WMMARK01";
/// Slots lie in separate blocks: a torn sector can hurt only one.
constexpr std::size_t kBlock = 4096;
constexpr std::size_t kSlots = 2;
/// The second copy of a record lies in another sector of its block.
constexpr std::size_t kCopyOffset = 2048;
constexpr std::size_t kChecksumBytes = 16;
constexpr std::size_t kSlotBytes = 8 + 8 + 8 + 8 + 32 + kChecksumBytes;

Error errno_error(const std::string& what) {
  const int code = errno;
  return {code == ENOSPC ? Errc::unavailable : Errc::external_failure,
          what + " the watermark: " + std::strerror(code)};
}

void append_number(std::string& bytes, std::uint64_t value) {
  for (int shift = 56; shift >= 0; shift -= 8) {
    bytes += static_cast<char>((value >> static_cast<unsigned>(shift)) & 0xffU);
  }
}

std::uint64_t number_at(std::string_view bytes, std::size_t offset) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < 8; ++i) {
    value = (value << 8U) | static_cast<unsigned char>(bytes[offset + i]);
  }
  return value;
}

std::string checksum_of(std::string_view bytes) {
  const Digest digest = sha256(bytes);
  return {digest.begin(), digest.begin() + kChecksumBytes};
}

std::string encode_slot(const WatermarkRecord& record) {
  std::string bytes(kMagic);
  append_number(bytes, record.generation);
  append_number(bytes, static_cast<std::uint64_t>(record.last_sequence));
  append_number(bytes, static_cast<std::uint64_t>(record.row_count));
  bytes.append(record.chain.begin(), record.chain.end());
  bytes += checksum_of(bytes);
  return bytes;
}

std::optional<WatermarkRecord> decode_slot(std::string_view bytes) {
  const std::string_view body = bytes.substr(0, kSlotBytes - kChecksumBytes);
  if (!body.starts_with(kMagic) || checksum_of(body) != bytes.substr(body.size())) {
    return std::nullopt;
  }
  WatermarkRecord record;
  record.generation = number_at(body, 8);
  record.last_sequence = static_cast<std::int64_t>(number_at(body, 16));
  record.row_count = static_cast<std::int64_t>(number_at(body, 24));
  std::copy_n(body.begin() + 32, record.chain.size(), record.chain.begin());
  return record;
}

/// What one block holds.
struct Slot {
  std::optional<WatermarkRecord> record;
  bool blank = false;
  /// Of a damaged slot: the generation that its bytes still show; 0 = illegible.
  std::uint64_t shown_generation = 0;
};

Slot read_slot(std::string_view block) {
  Slot slot;
  slot.blank = block.find_first_not_of('\0') == std::string_view::npos;
  for (const std::size_t offset : {std::size_t{0}, kCopyOffset}) {
    const auto bytes = block.substr(offset, kSlotBytes);
    const auto record = decode_slot(bytes);
    if (record && (!slot.record || record->generation > slot.record->generation)) {
      slot.record = record;
    }
    if (bytes.starts_with(kMagic)) {
      slot.shown_generation = std::max(slot.shown_generation, number_at(bytes, 8));
    }
  }
  return slot;
}

/// Whether the slot beside the newest intact one may have held a newer record.
bool may_be_newer(const Slot& other, const WatermarkRecord& newest) {
  if (other.record) return false;
  // The first record of all has nothing beside it.
  if (other.blank) return newest.generation > 1;
  if (other.shown_generation == 0) return true;
  return other.shown_generation + 1 != newest.generation;
}

Result<void> write_at(int fd, std::string_view bytes, off_t offset) {
  errno = fault::failure("watermark.pwrite");
  const ssize_t written = errno != 0 ? -1 : ::pwrite(fd, bytes.data(), bytes.size(), offset);
  if (written == static_cast<ssize_t>(bytes.size())) return {};
  if (written >= 0) errno = EIO;
  return fail(errno_error("cannot write"));
}

}  // namespace

Result<WatermarkReading> read_watermark(const std::filesystem::path& file) {
  WatermarkReading reading;
  auto content = read_file(file, kSlots * kBlock);
  if (!content && content.error().code == Errc::not_found) return reading;
  reading.exists = true;
  // A file of another size is no file of ours: both slots count as damaged.
  if (!content && content.error().code == Errc::invalid_argument) {
    reading.damaged_slots = kSlots;
    return reading;
  }
  if (!content) return fail(std::move(content).error());
  content->resize(kSlots * kBlock, '\0');
  std::array<Slot, kSlots> slots;
  for (std::size_t i = 0; i < kSlots; ++i) {
    slots.at(i) = read_slot(std::string_view(*content).substr(i * kBlock, kBlock));
    const auto& [record, blank, shown] = slots.at(i);
    if (blank) ++reading.blank_slots;
    if (!blank && !record) ++reading.damaged_slots;
    if (record && (!reading.newest || record->generation > reading.newest->generation)) {
      reading.newest = record;
    }
  }
  for (const auto& slot : slots) {
    if (reading.newest && may_be_newer(slot, *reading.newest)) reading.unsure = true;
  }
  return reading;
}

Result<void> write_watermark(const std::filesystem::path& file, const WatermarkRecord& record) {
  WARPMIND_TRY(auto mark, Watermark::open(file, std::nullopt));
  WARPMIND_CHECK(mark.advance(record.last_sequence, record.row_count, record.chain));
  return mark.advance(record.last_sequence, record.row_count, record.chain);
}

Result<Watermark> Watermark::open(const std::filesystem::path& file,
                                  const std::optional<WatermarkRecord>& newest) {
  errno = fault::failure("watermark.open");
  if (errno != 0) return fail(errno_error("cannot open"));
  UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) return fail(errno_error("cannot open"));
  // Both blocks exist from the start, so that advance() never changes the size: fdatasync is
  // enough then, and a full disk cannot stop it.
  const int reserved = ::posix_fallocate(fd.get(), 0, kSlots * kBlock);
  if (reserved != 0) {
    errno = reserved;
    return fail(errno_error("cannot reserve space for"));
  }
  if (::fsync(fd.get()) != 0) return fail(errno_error("cannot sync"));
  const UniqueFd folder(::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder || ::fsync(folder.get()) != 0) return fail(errno_error("cannot sync the folder of"));
  return Watermark(std::move(fd), newest ? newest->generation : 0);
}

Result<void> Watermark::advance(std::int64_t last_sequence, std::int64_t row_count,
                                const Digest& chain) {
  const WatermarkRecord record{generation_ + 1, last_sequence, row_count, chain};
  const std::uint64_t slot =
      fault::seeded(SeededBug::watermark_in_one_slot) ? 0 : record.generation % kSlots;
  const auto offset = static_cast<off_t>(slot * kBlock);
  const std::string bytes = encode_slot(record);
  fault::reached("watermark.before_write");
  WARPMIND_CHECK(write_at(fd_.get(), bytes, offset));
  fault::reached("watermark.half_written");
  WARPMIND_CHECK(write_at(fd_.get(), bytes, offset + static_cast<off_t>(kCopyOffset)));
  errno = fault::failure("watermark.fdatasync");
  if (errno != 0 || ::fdatasync(fd_.get()) != 0) return fail(errno_error("cannot sync"));
  generation_ = record.generation;
  return {};
}

}  // namespace warpmind::knowledge_base
