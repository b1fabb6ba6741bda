#include "profilers/simulator/sass/fatbin.h"

#include <cstring>
#include <string>

namespace warpmind::simulator {
namespace {

constexpr std::size_t kEntryHeaderBytes = 64;

template <class T>
T read_at(std::span<const std::byte> bytes, std::size_t offset) {
  T value{};
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

/// Reads the entry that `rest` begins with; `used` is its size with the header.
Result<FatbinEntry> read_entry(std::span<const std::byte> rest, std::size_t& used) {
  if (rest.size() < kEntryHeaderBytes) {
    return fail(Errc::corrupt_data,
                "the fat binary ends inside the header of an entry: it is cut or damaged, "
                "compile the program again");
  }
  const auto header_bytes = read_at<std::uint32_t>(rest, 4);
  const auto padded_bytes = read_at<std::uint64_t>(rest, 8);
  const auto packed_bytes = read_at<std::uint32_t>(rest, 16);
  if (header_bytes < kEntryHeaderBytes || header_bytes > rest.size() ||
      padded_bytes > rest.size() - header_bytes || packed_bytes > padded_bytes) {
    return fail(Errc::corrupt_data,
                "the fat binary ends inside an entry: it is cut or damaged, compile the program "
                "again");
  }
  FatbinEntry entry;
  entry.kind = read_at<std::uint16_t>(rest, 0);
  entry.architecture = read_at<std::uint32_t>(rest, 28);
  entry.flags = read_at<std::uint64_t>(rest, 40);
  entry.plain_bytes = read_at<std::uint64_t>(rest, 56);
  entry.payload = rest.subspan(header_bytes, packed_bytes != 0 ? packed_bytes : padded_bytes);
  used = header_bytes + padded_bytes;
  return entry;
}

}  // namespace

std::uint64_t fatbin_bytes(std::span<const std::byte> header) {
  return read_at<std::uint16_t>(header, 6) + read_at<std::uint64_t>(header, 8);
}

Result<std::vector<FatbinEntry>> fatbin_entries(std::span<const std::byte> fatbin) {
  if (fatbin.size() < kFatbinHeaderBytes || read_at<std::uint32_t>(fatbin, 0) != kFatbinMagic) {
    return fail(Errc::corrupt_data, "not a fat binary: its first bytes are wrong");
  }
  const auto header_bytes = read_at<std::uint16_t>(fatbin, 6);
  const auto entry_bytes = read_at<std::uint64_t>(fatbin, 8);
  if (header_bytes < kFatbinHeaderBytes || header_bytes > fatbin.size() ||
      entry_bytes > fatbin.size() - header_bytes) {
    return fail(Errc::corrupt_data,
                "the fat binary ends before its header says: it is cut or damaged, compile the "
                "program again");
  }
  auto rest = fatbin.subspan(header_bytes, entry_bytes);
  std::vector<FatbinEntry> entries;
  while (!rest.empty()) {
    std::size_t used = 0;
    WARPMIND_TRY(const FatbinEntry entry, read_entry(rest, used));
    entries.push_back(entry);
    rest = rest.subspan(used);
  }
  return entries;
}

Result<std::span<const std::byte>> cubin_of_fatbin(std::span<const std::byte> fatbin,
                                                   std::uint32_t architecture) {
  WARPMIND_TRY(const auto entries, fatbin_entries(fatbin));
  for (const FatbinEntry& entry : entries) {
    const bool packed = (entry.flags & (FatbinEntry::kLz4 | FatbinEntry::kZstd)) != 0;
    if (entry.kind == FatbinEntry::kCubin && entry.architecture == architecture && !packed) {
      return entry.payload;
    }
  }
  return fail(Errc::not_found,
              "the fat binary has no machine code for sm_" + std::to_string(architecture));
}

}  // namespace warpmind::simulator
