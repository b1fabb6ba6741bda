#pragma once
/// \file
/// Reads the fat binaries that nvcc puts into a program, and finds the PTX in them.

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace warpmind::simulator {

/// What nvcc's registration code passes: found by reading fatbinary_section.h of CUDA 13.
struct FatbinWrapper {
  std::uint32_t magic = 0;
  std::uint32_t version = 0;
  const std::byte* data = nullptr;
  const void* names = nullptr;
};
inline constexpr std::uint32_t kFatbinWrapperMagic = 0x466243b1;

/// The PTX of a fat binary that a device of `capability` (90 for 9.0) can run: of several the
/// newest that is not newer than the device; architecture-specific ones ("sm_90a") only on theirs.
/// ZSTD (CUDA 13's default) and LZ4 (CUDA 12's) are decompressed.
/// Errors: corrupt_data for bytes that end early or are no fat binary; not_found where there is no
/// PTX to run, with what to compile with.
[[nodiscard]] Result<std::string> ptx_of_fatbin(std::span<const std::byte> fatbin, int capability);

/// The same for an image of unknown size: the headers say how long it is, and are believed, since
/// nvcc wrote them into the program that runs. PTX text, which ends with a zero byte, is returned
/// as it is; a cubin is not_found.
[[nodiscard]] Result<std::string> ptx_of_image(const void* image, int capability);

/// The same for a file's content.
[[nodiscard]] Result<std::string> ptx_of_bytes(std::span<const std::byte> bytes, int capability);

}  // namespace warpmind::simulator
