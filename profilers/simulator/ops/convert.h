#pragma once
/// \file
/// What the conversions share: options in the instruction, and registers wider than their type.

#include "profilers/simulator/ops/integer_functors.h"
#include "profilers/simulator/ops/lanes.h"
#include "profilers/simulator/ops/narrow_float.h"
#include "profilers/simulator/ops/rounding.h"
#include "profilers/simulator/ops/statement_reader.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>

namespace warpmind::simulator {

enum class NumberKind : std::uint8_t {
  u8,
  s8,
  u16,
  s16,
  u32,
  s32,
  u64,
  s64,
  f16,
  bf16,
  tf32,
  f32,
  f64,
  unknown,
};
[[nodiscard]] NumberKind number_kind(std::string_view type);
[[nodiscard]] constexpr bool is_integer(NumberKind kind) { return kind <= NumberKind::s64; }
/// Bytes of the smallest register that holds it.
[[nodiscard]] int number_bytes(NumberKind kind);

// Parts of Instruction::option. The low three bits are a Rounding.
inline constexpr unsigned kRoundingMask = 7;
inline constexpr unsigned kToWhole = 8;  ///< .rni and the like
inline constexpr unsigned kSaturate = 16;
inline constexpr unsigned kRelu = 32;
inline constexpr unsigned kFinite = 64;
inline constexpr unsigned kFlush = 128;

[[nodiscard]] inline Rounding rounding_of(const Instruction& in) {
  return static_cast<Rounding>(in.option & kRoundingMask);
}

/// Instruction::option2: bytes of the registers.
[[nodiscard]] inline unsigned source_register(const Instruction& in) { return in.option2 & 0xffU; }
[[nodiscard]] inline unsigned result_register(const Instruction& in) { return in.option2 >> 8U; }

/// How the handlers are chosen.
struct Conversion {
  NumberKind to = NumberKind::unknown;
  NumberKind from = NumberKind::unknown;
  unsigned option = 0;
};
[[nodiscard]] Handler integer_conversion(const Conversion& conversion);  ///< integer to integer
[[nodiscard]] Handler real_conversion(const Conversion& conversion);     ///< f32, f64 and integers
/// Everything else: the handler finds the kinds in Instruction::immediate.
[[nodiscard]] Handler general_conversion(const Conversion& conversion);
/// f16x2, bf16x2, e4m3x2, e5m2x2 on one side or both.
void read_packed_conversion(StatementReader& read, std::string_view to, std::string_view from,
                            unsigned option);

/// An unsigned type of so many bytes.
template <std::size_t Bytes>
using Bits = std::conditional_t<
    Bytes == 1, std::uint8_t,
    std::conditional_t<Bytes == 2, std::uint16_t,
                       std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

template <class T, class Register>
const T* low_parts(Warp& warp, Slot slot, T* buffer) {
  if constexpr (sizeof(Register) == sizeof(T)) {
    return lanes<const T>(warp, slot);
  } else if constexpr (sizeof(Register) > sizeof(T)) {
    const auto* const from = lanes<const Register>(warp, slot);
    for (int lane = 0; lane < kLanes; ++lane) {
      buffer[lane] = std::bit_cast<T>(static_cast<Bits<sizeof(T)>>(from[lane]));
    }
  } else {
    std::fill_n(buffer, kLanes, T{});  // the decoder asks for registers that hold T
  }
  return buffer;
}

/// The source as T: in its register when that has T's size, else copied to `buffer`.
template <class T>
const T* source_lanes(Warp& warp, const Instruction& in, T* buffer) {
  switch (source_register(in)) {
    case 2: return low_parts<T, std::uint16_t>(warp, in.a, buffer);
    case 4: return low_parts<T, std::uint32_t>(warp, in.a, buffer);
    default: return low_parts<T, std::uint64_t>(warp, in.a, buffer);
  }
}

/// Signed types extend their sign, others zeros.
template <class Register, class T>
[[nodiscard]] Register extended(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<Register>(value);
  } else {
    return std::bit_cast<Bits<sizeof(T)>>(value);
  }
}

template <class T, class Register>
void store_extended(Warp& warp, Slot slot, const T* values, Mask active) {
  if constexpr (sizeof(Register) == sizeof(T)) {
    store_lanes(lanes<T>(warp, slot), values, active);
  } else if constexpr (sizeof(Register) > sizeof(T)) {
    alignas(64) Register wide[kLanes];
    for (int lane = 0; lane < kLanes; ++lane) wide[lane] = extended<Register>(values[lane]);
    store_lanes(lanes<Register>(warp, slot), wide, active);
  }
}

/// Extended to the register's size.
template <class T>
void store_result(Warp& warp, const Instruction& in, const T* values, Mask active) {
  switch (result_register(in)) {
    case 2: return store_extended<T, std::uint16_t>(warp, in.d, values, active);
    case 4: return store_extended<T, std::uint32_t>(warp, in.d, values, active);
    default: return store_extended<T, std::uint64_t>(warp, in.d, values, active);
  }
}

template <class T>
void round_lanes(T* values, Rounding rounding) {
  switch (rounding) {
    case Rounding::down:
      for (int i = 0; i < kLanes; ++i) values[i] = std::floor(values[i]);
      break;
    case Rounding::up:
      for (int i = 0; i < kLanes; ++i) values[i] = std::ceil(values[i]);
      break;
    case Rounding::zero:
      for (int i = 0; i < kLanes; ++i) values[i] = std::trunc(values[i]);
      break;
    default:
      for (int i = 0; i < kLanes; ++i) values[i] = std::nearbyint(values[i]);
  }
}

/// Whole numbers to integers, clamped to their range.
template <class D, class S>
void whole_to_integer(const S* values, D* results, D nan) {
  using Work = std::conditional_t<(sizeof(D) < 4), std::int32_t, D>;
  // 2^n: one more than the most, which S may not be able to represent.
  const S above = std::ldexp(S{1}, std::numeric_limits<D>::digits);
  const S least = static_cast<S>(std::numeric_limits<D>::min());
  for (int i = 0; i < kLanes; ++i) {
    const S value = values[i];
    const bool fits = (value < above) & (value >= least);
    const D inside = static_cast<D>(static_cast<Work>(fits ? value : S{0}));
    const D outside = value < least ? std::numeric_limits<D>::min() : std::numeric_limits<D>::max();
    const D clamped = fits ? inside : outside;
    results[i] = value == value ? clamped : nan;
  }
}

/// NaN is zero, but the sign bit alone where either side has 64 bits (PTX ISA, cvt).
template <class D>
[[nodiscard]] constexpr D converted_nan(bool from_f64) {
  if (sizeof(D) < 8 && !from_f64) return D{0};
  return static_cast<D>(D{1} << (8 * sizeof(D) - 1));
}

/// make(std::type_identity<T>()) for the C type of an integer kind; null for the others.
template <class Make>
[[nodiscard]] Handler for_kind(NumberKind kind, const Make& make) {
  switch (kind) {
    case NumberKind::u8: return make(std::type_identity<std::uint8_t>());
    case NumberKind::s8: return make(std::type_identity<std::int8_t>());
    case NumberKind::u16: return make(std::type_identity<std::uint16_t>());
    case NumberKind::s16: return make(std::type_identity<std::int16_t>());
    case NumberKind::u32: return make(std::type_identity<std::uint32_t>());
    case NumberKind::s32: return make(std::type_identity<std::int32_t>());
    case NumberKind::u64: return make(std::type_identity<std::uint64_t>());
    case NumberKind::s64: return make(std::type_identity<std::int64_t>());
    default: return nullptr;
  }
}

}  // namespace warpmind::simulator
