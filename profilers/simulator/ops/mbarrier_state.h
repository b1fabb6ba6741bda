#pragma once
/// \file
/// The eight bytes of an mbarrier in shared memory. The layout is ours: PTX leaves it open.

#include <cstdint>
#include <cstring>

namespace warpmind::simulator {

/// Opens (its phase completes) when no arrival and no byte is pending.
struct BarrierState {
  std::uint32_t expected = 0;  ///< arrivals of each phase
  std::uint32_t pending = 0;   ///< arrivals that the current phase still needs
  std::int32_t bytes = 0;      ///< of asynchronous copies that it still needs
  std::uint32_t phase = 0;     ///< 0 or 1

  static constexpr unsigned kCountBits = 20;
  static constexpr unsigned kBytesBits = 22;
  static constexpr std::int32_t kBytesBias = 1 << (kBytesBits - 1);

  [[nodiscard]] static BarrierState unpack(std::uint64_t word) {
    BarrierState out;
    constexpr std::uint64_t kCount = (1U << kCountBits) - 1;
    out.expected = static_cast<std::uint32_t>(word & kCount);
    out.pending = static_cast<std::uint32_t>(word >> kCountBits & kCount);
    const std::uint64_t bytes = word >> (2 * kCountBits) & ((1U << kBytesBits) - 1);
    out.bytes = static_cast<std::int32_t>(bytes) - kBytesBias;
    out.phase = static_cast<std::uint32_t>(word >> 63U);
    return out;
  }
  [[nodiscard]] std::uint64_t pack() const {
    const auto biased = static_cast<std::uint32_t>(bytes + kBytesBias);
    return std::uint64_t{expected} | std::uint64_t{pending} << kCountBits |
           std::uint64_t{biased} << (2 * kCountBits) | std::uint64_t{phase} << 63U;
  }

  void settle() {
    if (pending != 0 || bytes != 0) return;
    phase ^= 1U;
    pending = expected;
  }
  /// False when more arrive than are expected.
  [[nodiscard]] bool arrive(std::uint32_t count) {
    if (count > pending) return false;
    pending -= count;
    settle();
    return true;
  }
  void complete(std::uint32_t count) {
    bytes -= static_cast<std::int32_t>(count);
    settle();
  }
};

}  // namespace warpmind::simulator
