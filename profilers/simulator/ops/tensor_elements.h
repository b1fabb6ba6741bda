#pragma once
/// \file
/// Element types of tensor instructions: 4 words of a register (a row of a block) as numbers, and
/// sums from registers and back.

#include "profilers/simulator/ops/half.h"
#include "profilers/simulator/ops/lanes.h"
#include "profilers/simulator/ops/narrow_float.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpmind::simulator::tensor {

// Factors: `Number` is what products are computed in; widen() reads the kRow elements of a row.

struct FactorF16 {
  using Number = float;
  static constexpr std::size_t kBytes = 2;
  static constexpr std::size_t kRow = 8;
  static void widen(const std::byte* from, float* to) {
    Float16::widen(reinterpret_cast<const std::uint16_t*>(from), to, kRow);
  }
};

struct FactorBf16 {
  using Number = float;
  static constexpr std::size_t kBytes = 2;
  static constexpr std::size_t kRow = 8;
  static void widen(const std::byte* from, float* to) {
    Bfloat16::widen(reinterpret_cast<const std::uint16_t*>(from), to, kRow);
  }
};

/// The machine does not look at the 13 low bits.
struct FactorTf32 {
  using Number = float;
  static constexpr std::size_t kBytes = 4;
  static constexpr std::size_t kRow = 4;
  static void widen(const std::byte* from, float* to) {
    constexpr std::uint32_t kKept = 0xffff'e000;
    for (std::size_t i = 0; i < kRow; ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, from + 4 * i, sizeof bits);
      to[i] = std::bit_cast<float>(bits & kKept);
    }
  }
};

struct FactorF64 {
  using Number = double;
  static constexpr std::size_t kBytes = 8;
  static constexpr std::size_t kRow = 4;
  static void widen(const std::byte* from, double* to) { std::memcpy(to, from, kBytes * kRow); }
};

template <class Byte>
struct FactorByte {
  using Number = std::int32_t;
  static constexpr std::size_t kBytes = 1;
  static constexpr std::size_t kRow = 16;
  static void widen(const std::byte* from, std::int32_t* to) {
    const auto* const bytes = reinterpret_cast<const Byte*>(from);
    for (std::size_t i = 0; i < kRow; ++i) to[i] = bytes[i];  // NOLINT(bugprone-signed-char-misuse)
  }
};
using FactorS8 = FactorByte<std::int8_t>;
using FactorU8 = FactorByte<std::uint8_t>;

/// The 256 values of an 8-bit format.
[[nodiscard]] inline std::array<float, 256> values_of(const FloatFormat& format) {
  std::array<float, 256> values{};
  for (std::uint32_t bits = 0; bits < values.size(); ++bits) {
    values[bits] = static_cast<float>(decode_float(bits, format));
  }
  return values;
}

template <const FloatFormat& Format>
struct FactorFp8 {
  using Number = float;
  static constexpr std::size_t kBytes = 1;
  static constexpr std::size_t kRow = 16;
  static void widen(const std::byte* from, float* to) {
    static const std::array<float, 256> values = values_of(Format);
    for (std::size_t i = 0; i < kRow; ++i) to[i] = values[std::to_integer<std::size_t>(from[i])];
  }
};
using FactorE4m3 = FactorFp8<kFormatE4m3>;
using FactorE5m2 = FactorFp8<kFormatE5m2>;

// Sums: read() and write() move the block's row of lanes 4 * group … 4 * group + 3, which is 8
// neighbouring elements; `registers` are its one or two registers.

struct SumF16 {
  using Number = float;
  static constexpr std::size_t kBytes = 2;
  using Registers = std::array<std::byte*, 1>;
  static void read(const Registers& registers, std::size_t group, float* to) {
    FactorF16::widen(registers[0] + 16 * group, to);
  }
  static void write(const Registers& registers, std::size_t group, const float* from) {
    auto* const to = reinterpret_cast<std::uint16_t*>(registers[0] + 16 * group);
    Float16::narrow(from, to, FactorF16::kRow);
  }
};

template <class T>
struct SumPair {
  using Number = T;
  static constexpr std::size_t kBytes = sizeof(T);
  using Registers = std::array<std::byte*, 2>;
  static void read(const Registers& registers, std::size_t group, T* to) {
    const auto* const even = reinterpret_cast<const T*>(registers[0]) + 4 * group;
    const auto* const odd = reinterpret_cast<const T*>(registers[1]) + 4 * group;
    for (std::size_t i = 0; i < 4; ++i) {
      to[2 * i] = even[i];
      to[2 * i + 1] = odd[i];
    }
  }
  static void write(const Registers& registers, std::size_t group, const T* from) {
    auto* const even = reinterpret_cast<T*>(registers[0]) + 4 * group;
    auto* const odd = reinterpret_cast<T*>(registers[1]) + 4 * group;
    for (std::size_t i = 0; i < 4; ++i) {
      even[i] = from[2 * i];
      odd[i] = from[2 * i + 1];
    }
  }
};
using SumF32 = SumPair<float>;
using SumS32 = SumPair<std::int32_t>;
using SumF64 = SumPair<double>;

}  // namespace warpmind::simulator::tensor
