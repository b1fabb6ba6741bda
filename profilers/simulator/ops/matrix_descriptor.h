#pragma once
/// \file
/// Matrices in shared memory as wgmma's descriptors tell them. Source: PTX ISA 9.0, 9.7.15.5.1,
/// "Shared Memory Matrix Layout".

#include <cstddef>
#include <cstdint>

namespace warpmind::simulator {

/// A matrix is moved in units of 16 bytes; 8 rows of one unit are a core matrix.
inline constexpr std::size_t kUnitBytes = 16;

struct MatrixDescriptor {
  std::uint64_t start = 0;    ///< shared address
  std::uint64_t leading = 0;  ///< bytes
  std::uint64_t stride = 0;   ///< bytes
  unsigned base_offset = 0;
  /// Bytes that are swizzled together: 128, 64, 32, or 16 for none.
  std::uint64_t span = kUnitBytes;

  static MatrixDescriptor decode(std::uint64_t bits) {
    constexpr std::uint64_t kField = 0x3fff;  // 14 bits, in units
    constexpr std::uint64_t kSpans[] = {kUnitBytes, 128, 64, 32};
    MatrixDescriptor out;
    out.start = (bits & kField) * kUnitBytes;
    out.leading = (bits >> 16U & kField) * kUnitBytes;
    out.stride = (bits >> 32U & kField) * kUnitBytes;
    out.base_offset = static_cast<unsigned>(bits >> 49U & 7U);
    out.span = kSpans[bits >> 62U];
    return out;
  }

  /// Units of a line that lie together.
  [[nodiscard]] std::uint64_t units() const { return span / kUnitBytes; }

  /// The unit of row `row` that is number `unit` along k, where k runs along lines.
  [[nodiscard]] std::uint64_t along_k(std::size_t row, std::size_t unit) const {
    const std::uint64_t step = span == kUnitBytes ? leading : kUnitBytes;
    return swizzled(start + row % 8 * span + row / 8 * stride + unit * step);
  }

  /// The unit of 8 rows from 8 * `unit` on at `k`, where rows run along lines (transposed).
  [[nodiscard]] std::uint64_t along_rows(std::size_t unit, std::size_t k) const {
    if (span == kUnitBytes) return start + unit * stride + k % 8 * kUnitBytes + k / 8 * leading;
    return swizzled(start + unit % units() * kUnitBytes + unit / units() * leading + k % 8 * span +
                    k / 8 * stride);
  }

 private:
  /// Bits 4 … of an address change with bits 7 …, as many as number a span's units.
  [[nodiscard]] std::uint64_t swizzled(std::uint64_t address) const {
    constexpr unsigned kUnitBits = 4;
    constexpr unsigned kLineBits = 7;
    return address ^ ((address >> kLineBits & (units() - 1)) << kUnitBits);
  }
};

}  // namespace warpmind::simulator
