#pragma once
/// \file
/// What unwritten memory looks like in this session: red zones and poison, drawn anew at start.

#include "base/result.h"
#include "profilers/worker/cuda_handles.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpmind::profilers {

/// Bytes of red zone before and after every buffer.
inline constexpr std::size_t kRedZoneBytes = 4096;

/// Session-wide random patterns, on the host and on the device.
///
/// Poison is one 16-bit word repeated. Its low byte is 0xF1 … 0xFF and its high byte 0x7F or 0xFF,
/// so that f16, bf16, f32 and f64 all read NaN, wherever in an element the reading starts on an
/// even byte. Integers read an unlikely number. The judge knows this family of words.
class FillPatterns {
 public:
  [[nodiscard]] static Result<FillPatterns> create();

  /// Copies the zone pattern to `destination` on the device. Asynchronous.
  [[nodiscard]] Result<void> fill_zone(std::byte* destination, cudaStream_t stream) const;

  /// Poisons `bytes` bytes on the device. `round` 0 and 1 use different words. Asynchronous.
  [[nodiscard]] Result<void> poison(std::byte* destination, std::size_t bytes, int round,
                                    cudaStream_t stream) const;

  [[nodiscard]] const std::array<std::byte, kRedZoneBytes>& zone() const { return zone_; }

 private:
  FillPatterns() = default;

  std::array<std::byte, kRedZoneBytes> zone_{};
  UniqueDeviceMemory device_;  ///< zone, then a block of poison for each round
};

}  // namespace warpmind::profilers
