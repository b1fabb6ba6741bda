#pragma once
/// \file
/// The entries of a fat binary (nvcc -fatbin, or what nvcc puts into programs).

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace warpmind::simulator {

inline constexpr std::uint32_t kFatbinMagic = 0xba55ed50;
inline constexpr std::size_t kFatbinHeaderBytes = 16;

/// Offsets and flags as found in the output of nvcc 12 and 13.
struct FatbinEntry {
  static constexpr std::uint16_t kPtx = 1;
  static constexpr std::uint16_t kCubin = 2;
  static constexpr std::uint64_t kLz4 = 0x2000;
  static constexpr std::uint64_t kZstd = 0x8000;

  std::uint16_t kind = 0;
  std::uint32_t architecture = 0;  ///< 90 for compute_90 and sm_90
  std::uint64_t flags = 0;
  std::uint64_t plain_bytes = 0;  ///< after decompression; 0 = not compressed
  std::span<const std::byte> payload;
};

/// Size of the whole fat binary that begins with these bytes. Needs kFatbinHeaderBytes of them.
[[nodiscard]] std::uint64_t fatbin_bytes(std::span<const std::byte> header);

/// Trusts no size of the file; the payloads point into `fatbin`. Errors: corrupt_data for bytes
/// that end early or are no fat binary.
[[nodiscard]] Result<std::vector<FatbinEntry>> fatbin_entries(std::span<const std::byte> fatbin);

/// The uncompressed machine code for `architecture` (90). Errors: as fatbin_entries(); not_found
/// when there is none.
[[nodiscard]] Result<std::span<const std::byte>> cubin_of_fatbin(std::span<const std::byte> fatbin,
                                                                 std::uint32_t architecture);

}  // namespace warpmind::simulator
