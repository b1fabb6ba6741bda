#pragma once
/// \file
/// The handler of mma and wmma.mma: registers to matrices, their product, and back.
///
/// Instruction::list names the registers of the result, the left factor, the right factor and the
/// sum that it is added to, in this order.
///
/// Sums are built in the order of k with one rounding for each multiply-add, in f32 for every type
/// up to tf32. The machine adds several products at once, with a few bits more and truncation, in
/// an order that is not documented: results agree but for the last bits, and exactly where all
/// partial sums are exact.

#include "profilers/simulator/ops/half.h"
#include "profilers/simulator/ops/lanes.h"
#include "profilers/simulator/ops/narrow_float.h"
#include "profilers/simulator/ops/tensor_fragment.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <immintrin.h>
#include <limits>
#include <type_traits>

namespace warpmind::simulator::tensor {

// Element types: 4 words of a register (a row of a block) as numbers, and sums from registers and
// back.

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

// sums += left * right, for small row-major matrices.

/// Vectors of sums by the type of number.
template <class Number>
struct Vector;

template <>
struct Vector<float> {
  using Type = __m256;
  static constexpr std::size_t kWidth = 8;
  static Type load(const float* from) { return _mm256_loadu_ps(from); }
  static void store(float* to, Type value) { _mm256_storeu_ps(to, value); }
  static Type fill(float value) { return _mm256_set1_ps(value); }
  static Type fused(Type a, Type b, Type c) { return _mm256_fmadd_ps(a, b, c); }
};

template <>
struct Vector<double> {
  using Type = __m256d;
  static constexpr std::size_t kWidth = 4;
  static Type load(const double* from) { return _mm256_loadu_pd(from); }
  static void store(double* to, Type value) { _mm256_storeu_pd(to, value); }
  static Type fill(double value) { return _mm256_set1_pd(value); }
  static Type fused(Type a, Type b, Type c) { return _mm256_fmadd_pd(a, b, c); }
};

/// Wraps around.
template <>
struct Vector<std::int32_t> {
  using Type = __m256i;
  static constexpr std::size_t kWidth = 8;
  static Type load(const std::int32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static void store(std::int32_t* to, Type value) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), value);
  }
  static Type fill(std::int32_t value) { return _mm256_set1_epi32(value); }
  static Type fused(Type a, Type b, Type c) {
    return _mm256_add_epi32(_mm256_mullo_epi32(a, b), c);
  }
};

/// left is rows x depth, right depth x columns. Rows and columns are multiples of 8.
template <class Number>
inline void multiply_add(const Number* left, const Number* right, Number* sums,
                         const ProductShape& shape) {
  using V = Vector<Number>;
  constexpr std::size_t kRows = 8;  // as many sums on the way as hide the latency of one
  for (std::size_t row = 0; row < shape.rows; row += kRows) {
    for (std::size_t column = 0; column < shape.columns; column += V::kWidth) {
      Number* const to = sums + row * shape.columns + column;
      const Number* const from = left + row * shape.depth;
      typename V::Type sum[kRows];
      for (std::size_t i = 0; i < kRows; ++i) sum[i] = V::load(to + i * shape.columns);
      for (std::size_t k = 0; k < shape.depth; ++k) {
        const auto across = V::load(right + k * shape.columns + column);
#pragma GCC unroll 8
        for (std::size_t i = 0; i < kRows; ++i) {
          sum[i] = V::fused(V::fill(from[i * shape.depth + k]), across, sum[i]);
        }
      }
      for (std::size_t i = 0; i < kRows; ++i) V::store(to + i * shape.columns, sum[i]);
    }
  }
}

// From registers to registers.

inline constexpr std::size_t kMostFactor = std::size_t{32} * 32;  ///< elements
inline constexpr std::size_t kMostSums = std::size_t{32} * 16;
inline constexpr std::uint16_t kSaturates = 0x8000;  ///< in Instruction::option2

/// Instruction::option has rows and columns, option2 the depth.
inline void store_shape(const ProductShape& shape, bool saturates, Instruction& out) {
  out.option = static_cast<std::uint16_t>(shape.rows | shape.columns << 8U);
  out.option2 = static_cast<std::uint16_t>(shape.depth | (saturates ? kSaturates : 0U));
}
[[nodiscard]] inline ProductShape load_shape(const Instruction& in) {
  return {in.option & 0xffU, static_cast<std::size_t>(in.option >> 8U), in.option2 & 0xffU};
}

/// The left factor, row-major. `slots` are its registers.
template <class Factor>
inline void read_left(const Warp& warp, const Slot* slots, const Fragment& fragment,
                      typename Factor::Number* to) {
  for (std::size_t block = 0; block < fragment.blocks(); ++block) {
    const Fragment::Place place = fragment.place(block);
    const std::byte* const from = warp.registers + slots[block];
    for (std::size_t g = 0; g < kBlockRows; ++g) {
      Factor::widen(from + g * kRowLanes * fragment.register_bytes,
                    to + (place.row + g) * fragment.columns + place.column);
    }
  }
}

/// The right factor: its fragment holds the transpose, `to` gets the rows of the factor.
template <class Factor>
inline void read_right(const Warp& warp, const Slot* slots, const Fragment& fragment,
                       typename Factor::Number* to) {
  typename Factor::Number row[Factor::kRow];
  for (std::size_t block = 0; block < fragment.blocks(); ++block) {
    const Fragment::Place place = fragment.place(block);
    const std::byte* const from = warp.registers + slots[block];
    for (std::size_t g = 0; g < kBlockRows; ++g) {
      Factor::widen(from + g * kRowLanes * fragment.register_bytes, row);
      auto* const down = to + place.column * fragment.rows + place.row + g;
      for (std::size_t k = 0; k < Factor::kRow; ++k) down[k * fragment.rows] = row[k];
    }
  }
}

template <class Sum>
inline typename Sum::Registers registers_of(const Warp& warp, const Slot* slots,
                                            std::size_t block) {
  typename Sum::Registers registers{};
  for (std::size_t i = 0; i < registers.size(); ++i) {
    registers[i] = warp.registers + slots[block * registers.size() + i];
  }
  return registers;
}

template <class Sum>
inline void read_sums(const Warp& warp, const Slot* slots, const Fragment& fragment,
                      typename Sum::Number* to) {
  for (std::size_t block = 0; block < fragment.blocks(); ++block) {
    const Fragment::Place place = fragment.place(block);
    const auto registers = registers_of<Sum>(warp, slots, block);
    for (std::size_t g = 0; g < kBlockRows; ++g) {
      Sum::read(registers, g, to + (place.row + g) * fragment.columns + place.column);
    }
  }
}

/// Lanes that are not active keep what they have.
template <class Sum>
inline void write_sums(const Warp& warp, const Slot* slots, const Fragment& fragment, Mask active,
                       const typename Sum::Number* from) {
  using Word = std::conditional_t<Sum::kBytes == 8, std::uint64_t, std::uint32_t>;
  for (std::size_t block = 0; block < fragment.blocks(); ++block) {
    const Fragment::Place place = fragment.place(block);
    const auto registers = registers_of<Sum>(warp, slots, block);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init): used for a part of the warp only
    alignas(64) std::array<std::array<Word, kLanes>, registers.size()> values;
    auto to = registers;
    if (active != kAllLanes) {
      for (std::size_t i = 0; i < to.size(); ++i) {
        to[i] = reinterpret_cast<std::byte*>(values[i].data());
      }
    }
    for (std::size_t g = 0; g < kBlockRows; ++g) {
      Sum::write(to, g, from + (place.row + g) * fragment.columns + place.column);
    }
    if (active == kAllLanes) continue;
    for (std::size_t i = 0; i < to.size(); ++i) {
      blend_lanes(reinterpret_cast<Word*>(registers[i]), values[i].data(), active);
    }
  }
}

/// sums += addends, wrapping around or (.satfinite) clamped.
inline void add_integers(const std::int32_t* addends, bool saturates, std::size_t count,
                         std::int32_t* sums) {
  for (std::size_t i = 0; i < count; ++i) {
    constexpr std::int64_t kLeast = std::numeric_limits<std::int32_t>::min();
    constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
    const std::int64_t exact = std::int64_t{sums[i]} + addends[i];
    sums[i] = static_cast<std::int32_t>(saturates ? std::clamp(exact, kLeast, kMost) : exact);
  }
}

template <class Left, class Right, class C, class D>
void run_product(Warp& warp, const Instruction& in, Mask active) {
  using Number = typename Left::Number;
  require_whole_warp(warp, in, active);
  const ProductShape shape = load_shape(in);
  const Fragment result = sum_fragment(shape, D::kBytes);
  const Fragment left_form = left_fragment(shape, Left::kBytes);
  const Fragment right_form = right_fragment(shape, Right::kBytes);
  const Fragment addend = sum_fragment(shape, C::kBytes);
  const Slot* const to = warp.program().slots.data() + in.list;
  const Slot* const left_slots = to + result.registers();
  const Slot* const right_slots = left_slots + left_form.registers();
  const Slot* const addend_slots = right_slots + right_form.registers();

  alignas(64) Number left[kMostFactor];
  alignas(64) Number right[kMostFactor];
  alignas(64) Number sums[kMostSums];
  read_left<Left>(warp, left_slots, left_form, left);
  read_right<Right>(warp, right_slots, right_form, right);
  if constexpr (std::is_integral_v<Number>) {
    alignas(64) Number addends[kMostSums];
    const std::size_t count = shape.rows * shape.columns;
    read_sums<C>(warp, addend_slots, addend, addends);
    std::fill_n(sums, count, 0);
    multiply_add(left, right, sums, shape);
    add_integers(addends, (in.option2 & kSaturates) != 0, count, sums);
  } else {
    read_sums<C>(warp, addend_slots, addend, sums);
    multiply_add(left, right, sums, shape);
  }
  write_sums<D>(warp, to, result, active, sums);
}

}  // namespace warpmind::simulator::tensor
