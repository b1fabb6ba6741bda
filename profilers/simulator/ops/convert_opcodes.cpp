#include "profilers/simulator/ops/convert_opcodes.h"

#include "profilers/simulator/ops/half.h"
#include "profilers/simulator/ops/integer_functors.h"
#include "profilers/simulator/ops/lanes.h"
#include "profilers/simulator/ops/narrow_float.h"
#include "profilers/simulator/ops/rounding.h"
#include "profilers/simulator/ops/statement_reader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <string_view>
#include <utility>

namespace warpmind::simulator {
namespace {

// What the conversions share: options in the instruction, and registers wider than their type.

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
using UnsignedBytes = std::conditional_t<
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
      buffer[lane] = std::bit_cast<T>(static_cast<UnsignedBytes<sizeof(T)>>(from[lane]));
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
    return std::bit_cast<UnsignedBytes<sizeof(T)>>(value);
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

// Conversions of pairs: f16x2, bf16x2, and the 8-bit e4m3x2 and e5m2x2.

template <class D, class S, bool Saturate>
void run_integer(Warp& warp, const Instruction& in, Mask active) {
  alignas(64) S buffer[kLanes];
  alignas(64) D values[kLanes];
  const S* const from = source_lanes(warp, in, buffer);
  for (int lane = 0; lane < kLanes; ++lane) {
    if constexpr (Saturate && std::is_signed_v<S> && !std::is_signed_v<D>) {
      using Positive = std::make_unsigned_t<S>;
      const S value = from[lane] < 0 ? S{0} : from[lane];
      constexpr std::uint64_t kMost = std::numeric_limits<D>::max();
      const auto positive = std::uint64_t{static_cast<Positive>(value)};
      values[lane] = static_cast<D>(std::min(positive, kMost));
    } else if constexpr (Saturate && !std::is_signed_v<S>) {
      constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<D>::max());
      values[lane] = static_cast<D>(std::min(std::uint64_t{from[lane]}, kMost));
    } else if constexpr (Saturate) {
      values[lane] = clamp_to<D>(std::int64_t{from[lane]});
    } else {
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): a number, to be sign-extended
      values[lane] = static_cast<D>(from[lane]);
    }
  }
  store_result(warp, in, values, active);
}

/// .rn … .rp, .rni … .rpi, .rna: option bits; a rounding that is missing gives `fallback`.
unsigned take_rounding_option(StatementReader& read, unsigned fallback) {
  constexpr std::array kOrder = {Rounding::nearest_even, Rounding::zero, Rounding::down,
                                 Rounding::up};
  const int whole = read.take_one_of({"rni", "rzi", "rmi", "rpi"});
  if (whole >= 0) {
    return kToWhole | static_cast<unsigned>(kOrder[static_cast<std::size_t>(whole)]);
  }
  if (read.take("rna")) return static_cast<unsigned>(Rounding::nearest_away);
  const auto rounding = read.take_rounding();
  return rounding ? static_cast<unsigned>(*rounding) : fallback;
}

unsigned take_flags(StatementReader& read) {
  constexpr std::array<std::pair<std::string_view, unsigned>, 4> kFlags = {
      {{"sat", kSaturate}, {"relu", kRelu}, {"satfinite", kFinite}, {"ftz", kFlush}}};
  unsigned option = 0;
  for (const auto& [name, flag] : kFlags) {
    if (read.take(name)) option |= flag;
  }
  return option;
}

bool is_pair(std::string_view type) { return type.ends_with("x2"); }

/// SASS instructions: conversions between words are moves or shifts.
void set_conversion_cost(StatementReader& read, const Conversion& conversion) {
  const bool both = is_integer(conversion.to) && is_integer(conversion.from);
  const bool is_wide = number_bytes(conversion.to) == 8 || number_bytes(conversion.from) == 8;
  const bool is_plain = conversion.to == NumberKind::f32 || conversion.from == NumberKind::f32;
  const bool is_half = conversion.to == NumberKind::f16 || conversion.from == NumberKind::f16;
  if (both) {
    read.set_cost(Pipe::alu, 1);
  } else if (is_plain && is_half) {
    read.set_cost(Pipe::half, 1);
  } else {
    read.set_cost(Pipe::special, is_wide ? 2.0F : 1.0F);
  }
}

/// The register may be wider than the type. A literal has the type's size.
int register_size(StatementReader& read, NumberKind kind) {
  const int bytes = read.context().register_bytes(read.peek());
  return std::max(bytes, number_bytes(kind));
}

void read_plain_conversion(StatementReader& read, const Conversion& conversion, std::string_view to,
                           std::string_view from) {
  Handler handler = integer_conversion(conversion);
  if (handler == nullptr) handler = real_conversion(conversion);
  if (handler == nullptr) handler = general_conversion(conversion);
  read.use(handler, conversion.to == NumberKind::unknown ? to : from);
  const int result_bytes = register_size(read, conversion.to);
  read.out.d = read.destination(result_bytes);
  const int source_bytes = register_size(read, conversion.from);
  read.out.a = read.source(source_bytes, conversion.from == NumberKind::tf32 ? "b32" : from);
  read.out.option = static_cast<std::uint16_t>(conversion.option);
  read.out.option2 = static_cast<std::uint16_t>(source_bytes | (result_bytes << 8));
  read.out.immediate = static_cast<int>(conversion.from) | (static_cast<int>(conversion.to) << 8);
  set_conversion_cost(read, conversion);
}

/// Two numbers clamped, side by side below c: cvt.pack.
template <class D>
void run_pack(Warp& warp, const Instruction& in, Mask active) {
  constexpr unsigned kBits = 8 * sizeof(D);
  const auto* const a = lanes<const std::int32_t>(warp, in.a);
  const auto* const b = lanes<const std::int32_t>(warp, in.b);
  const auto* const c = lanes<const std::uint32_t>(warp, in.c);
  alignas(64) std::uint32_t values[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto part = [](std::int32_t value) {
      using Positive = std::make_unsigned_t<D>;
      return std::uint32_t{static_cast<Positive>(clamp_to<D>(std::int64_t{value}))};
    };
    const std::uint32_t above = sizeof(D) == 1 ? c[lane] << 16U : 0U;
    values[lane] = above | (part(a[lane]) << kBits) | part(b[lane]);
  }
  store_lanes(lanes<std::uint32_t>(warp, in.d), values, active);
}

void read_pack(StatementReader& read) {
  if (!read.take("sat")) read.fail("cvt.pack without .sat");
  const int to = read.take_one_of({"u16", "s16", "u8", "s8"});
  const bool has_third = to >= 2;
  if (has_third && !read.take("b32")) read.fail("cvt.pack to 8 bits without .b32");
  const std::string_view type = read.take_type();
  constexpr std::array<Handler, 4> kHandlers = {run_pack<std::uint16_t>, run_pack<std::int16_t>,
                                                run_pack<std::uint8_t>, run_pack<std::int8_t>};
  read.use(to < 0 || type != "s32" ? nullptr : kHandlers[static_cast<std::size_t>(to)], type);
  read.read_operands(2, 4, type);
  read.out.c = has_third ? read.source(4, "b32") : read.out.a;
  read.set_cost(Pipe::alu, 1);
}

NumberKind number_kind(std::string_view type) {
  constexpr std::array<std::string_view, 13> kNames = {
      "u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64", "f16", "bf16", "tf32", "f32", "f64"};
  const auto* const at = std::find(kNames.begin(), kNames.end(), type);
  return static_cast<NumberKind>(at - kNames.begin());
}

int number_bytes(NumberKind kind) {
  switch (kind) {
    case NumberKind::u64:
    case NumberKind::s64:
    case NumberKind::f64: return 8;
    case NumberKind::u32:
    case NumberKind::s32:
    case NumberKind::tf32:
    case NumberKind::f32: return 4;
    default: return 2;
  }
}

Handler integer_conversion(const Conversion& conversion) {
  const bool saturates = (conversion.option & kSaturate) != 0;
  return for_kind(conversion.to, [&]<class D>(std::type_identity<D> /*to*/) -> Handler {
    return for_kind(conversion.from, [&]<class S>(std::type_identity<S> /*from*/) -> Handler {
      return saturates ? run_integer<D, S, true> : run_integer<D, S, false>;
    });
  });
}

void decode_cvt(StatementReader& read) {
  if (read.take("pack")) return read_pack(read);
  unsigned option = take_flags(read);
  const unsigned rounding = take_rounding_option(read, kRoundingMask);
  const std::string_view from = read.take_type();
  const std::string_view to = read.take_type();
  Conversion conversion{number_kind(to), number_kind(from), option};
  const bool to_integer = is_integer(conversion.to) && !is_integer(conversion.from);
  const auto fallback = static_cast<unsigned>(to_integer ? Rounding::zero : Rounding::nearest_even);
  option |= rounding == kRoundingMask ? fallback : rounding;
  if (to_integer) option = (option | kToWhole) & ~kSaturate;  // clamped to the type anyway
  conversion.option = option;
  if (is_pair(to) || is_pair(from)) return read_packed_conversion(read, to, from, option);
  read_plain_conversion(read, conversion, to, from);
}

template <class D, class S>
void run_real_to_integer(Warp& warp, const Instruction& in, Mask active) {
  alignas(64) S values[kLanes];
  alignas(64) D results[kLanes];
  const S* const from = source_lanes(warp, in, values);
  if (from != values) std::copy(from, from + kLanes, values);
  if ((in.option & kFlush) != 0) {
    for (S& value : values) value = flush(value);
  }
  round_lanes(values, rounding_of(in));
  whole_to_integer(values, results, converted_nan<D>(sizeof(S) == 8));
  store_result(warp, in, results, active);
}

/// .relu, .sat, .ftz and the one NaN.
template <class T>
void finish_reals(T* values, unsigned option) {
  if ((option & kRelu) != 0) {
    for (int i = 0; i < kLanes; ++i) values[i] = values[i] <= T{0} ? T{0} : values[i];
  }
  if ((option & kSaturate) != 0) {
    for (int i = 0; i < kLanes; ++i) values[i] = saturate(values[i]);
  }
  if ((option & kFlush) != 0) {
    for (int i = 0; i < kLanes; ++i) values[i] = flush(values[i]);
  }
  for (int i = 0; i < kLanes; ++i) values[i] = canonical(values[i]);
}

template <class D, class S>
void convert_lanes(const S* from, D* to, Rounding rounding) {
  if (rounding == Rounding::nearest_even) {
    for (int i = 0; i < kLanes; ++i) to[i] = static_cast<D>(from[i]);
    return;
  }
  const RoundingScope scope(rounding);
  for (int i = 0; i < kLanes; ++i) to[i] = opaque(static_cast<D>(opaque(from[i])));
}

template <class D, class S>
void run_integer_to_real(Warp& warp, const Instruction& in, Mask active) {
  alignas(64) S buffer[kLanes];
  alignas(64) D values[kLanes];
  convert_lanes(source_lanes(warp, in, buffer), values, rounding_of(in));
  finish_reals(values, in.option);
  store_result(warp, in, values, active);
}

template <class D, class S>
void run_real_to_real(Warp& warp, const Instruction& in, Mask active) {
  alignas(64) S buffer[kLanes];
  alignas(64) D values[kLanes];
  const S* const source = source_lanes(warp, in, buffer);
  if (source != buffer) std::copy(source, source + kLanes, buffer);
  if ((in.option & kFlush) != 0) {
    for (S& value : buffer) value = flush(value);
  }
  const bool to_whole = (in.option & kToWhole) != 0;
  if (to_whole) round_lanes(buffer, rounding_of(in));
  convert_lanes(buffer, values, to_whole ? Rounding::nearest_even : rounding_of(in));
  finish_reals(values, in.option);
  store_result(warp, in, values, active);
}

template <class Format>
void run_half_to_single(Warp& warp, const Instruction& in, Mask active) {
  alignas(64) std::uint16_t buffer[kLanes];
  alignas(64) float values[kLanes];
  Format::widen(source_lanes(warp, in, buffer), values, kLanes);
  finish_reals(values, in.option);
  store_result(warp, in, values, active);
}

template <class Format>
void run_single_to_half(Warp& warp, const Instruction& in, Mask active) {
  alignas(64) float buffer[kLanes];
  alignas(64) float values[kLanes];
  alignas(64) std::uint16_t results[kLanes];
  const float* const from = source_lanes(warp, in, buffer);
  std::copy(from, from + kLanes, values);
  finish_reals(values, in.option);
  Format::narrow(values, results, kLanes);
  store_result(warp, in, results, active);
}

/// Any number as a double: exact, or rounded to odd (64-bit integers).
template <class T>
void widen_lanes(Warp& warp, const Instruction& in, double* to) {
  alignas(64) T buffer[kLanes];
  const T* const from = source_lanes(warp, in, buffer);
  for (int i = 0; i < kLanes; ++i) {
    if constexpr (sizeof(T) == 8 && std::is_integral_v<T>) {
      // The upper and the lower half are exact, and so is what their sum leaves out.
      const auto low = static_cast<double>(static_cast<std::uint32_t>(from[i]));
      to[i] = odd_sum(static_cast<double>(from[i] >> 32) * 0x1p32, low);
    } else {
      to[i] = static_cast<double>(from[i]);
    }
  }
}

void widen_bits(Warp& warp, const Instruction& in, const FloatFormat& format, double* to) {
  alignas(64) std::uint16_t buffer[kLanes];
  const std::uint16_t* const from = source_lanes(warp, in, buffer);
  for (int i = 0; i < kLanes; ++i) to[i] = decode_float(from[i], format);
}

void widen_kind(Warp& warp, const Instruction& in, NumberKind kind, double* to) {
  switch (kind) {
    case NumberKind::f16: return widen_bits(warp, in, kFormatF16, to);
    case NumberKind::bf16: return widen_bits(warp, in, kFormatBf16, to);
    case NumberKind::f32:
    case NumberKind::tf32: return widen_lanes<float>(warp, in, to);
    case NumberKind::f64: return widen_lanes<double>(warp, in, to);
    case NumberKind::u8: return widen_lanes<std::uint8_t>(warp, in, to);
    case NumberKind::s8: return widen_lanes<std::int8_t>(warp, in, to);
    case NumberKind::u16: return widen_lanes<std::uint16_t>(warp, in, to);
    case NumberKind::s16: return widen_lanes<std::int16_t>(warp, in, to);
    case NumberKind::u32: return widen_lanes<std::uint32_t>(warp, in, to);
    case NumberKind::s32: return widen_lanes<std::int32_t>(warp, in, to);
    case NumberKind::u64: return widen_lanes<std::uint64_t>(warp, in, to);
    default: return widen_lanes<std::int64_t>(warp, in, to);
  }
}

/// Subnormal f32 numbers; the other formats keep theirs.
void flush_singles(double* values) {
  for (int i = 0; i < kLanes; ++i) {
    if (std::fabs(values[i]) < 0x1p-126) values[i] = std::copysign(0.0, values[i]);
  }
}

/// What the general conversions do between reading and writing.
void prepare(Warp& warp, const Instruction& in, double* values) {
  const auto from = static_cast<NumberKind>(in.immediate & 0xff);
  widen_kind(warp, in, from, values);
  if ((in.option & kFlush) != 0 && from == NumberKind::f32) flush_singles(values);
  if ((in.option & kToWhole) != 0) round_lanes(values, rounding_of(in));
  finish_reals(values, in.option & (kRelu | kSaturate));
}

template <class D>
void run_general_to_integer(Warp& warp, const Instruction& in, Mask active) {
  alignas(64) double values[kLanes];
  alignas(64) D results[kLanes];
  prepare(warp, in, values);
  whole_to_integer(values, results, converted_nan<D>(false));
  store_result(warp, in, results, active);
}

/// `Shift` places the format's bits in T.
template <class T>
void write_format(Warp& warp, const Instruction& in, Mask active, const FloatFormat& format,
                  unsigned shift) {
  alignas(64) double values[kLanes];
  alignas(64) T results[kLanes];
  prepare(warp, in, values);
  const bool is_whole = (in.option & kToWhole) != 0;
  const Rounding rounding = is_whole ? Rounding::nearest_even : rounding_of(in);
  for (int i = 0; i < kLanes; ++i) {
    const std::uint32_t code =
        encode_float(values[i], format, rounding, (in.option & kFinite) != 0);
    results[i] = static_cast<T>(code << shift);
  }
  store_result(warp, in, results, active);
}

void run_general_to_f16(Warp& warp, const Instruction& in, Mask active) {
  write_format<std::uint16_t>(warp, in, active, kFormatF16, 0);
}
void run_general_to_bf16(Warp& warp, const Instruction& in, Mask active) {
  write_format<std::uint16_t>(warp, in, active, kFormatBf16, 0);
}
void run_general_to_tf32(Warp& warp, const Instruction& in, Mask active) {
  write_format<std::uint32_t>(warp, in, active, kFormatTf32, 13);
}
void run_general_to_f32(Warp& warp, const Instruction& in, Mask active) {
  write_format<std::uint32_t>(warp, in, active, kFormatF32, 0);
}
void run_general_to_f64(Warp& warp, const Instruction& in, Mask active) {
  alignas(64) double values[kLanes];
  prepare(warp, in, values);
  store_result(warp, in, values, active);
}

template <class T>
Handler from_real(NumberKind to) {
  if (to == NumberKind::f32) return run_real_to_real<float, T>;
  if (to == NumberKind::f64) return run_real_to_real<double, T>;
  return for_kind(to, []<class D>(std::type_identity<D> /*to*/) -> Handler {
    return run_real_to_integer<D, T>;
  });
}

template <class D>
Handler from_integer(NumberKind from) {
  return for_kind(from, []<class S>(std::type_identity<S> /*from*/) -> Handler {
    return run_integer_to_real<D, S>;
  });
}

Handler real_conversion(const Conversion& conversion) {
  if (conversion.from == NumberKind::f32 && conversion.to != NumberKind::tf32) {
    const bool is_nearest =
        (conversion.option & (kRoundingMask | kToWhole | kFlush | kFinite)) == 0;
    if (conversion.to == NumberKind::f16 && is_nearest) return run_single_to_half<Float16>;
    if (conversion.to == NumberKind::bf16 && is_nearest) return run_single_to_half<Bfloat16>;
    return from_real<float>(conversion.to);
  }
  if (conversion.from == NumberKind::f64) return from_real<double>(conversion.to);
  const bool is_plain = (conversion.option & kToWhole) == 0;
  if (conversion.to == NumberKind::f32) {
    if (conversion.from == NumberKind::f16 && is_plain) return run_half_to_single<Float16>;
    if (conversion.from == NumberKind::bf16 && is_plain) return run_half_to_single<Bfloat16>;
    return from_integer<float>(conversion.from);
  }
  if (conversion.to == NumberKind::f64) return from_integer<double>(conversion.from);
  return nullptr;
}

Handler general_conversion(const Conversion& conversion) {
  if (conversion.from == NumberKind::unknown) return nullptr;
  switch (conversion.to) {
    case NumberKind::f16: return run_general_to_f16;
    case NumberKind::bf16: return run_general_to_bf16;
    case NumberKind::tf32: return run_general_to_tf32;
    case NumberKind::f32: return run_general_to_f32;
    case NumberKind::f64: return run_general_to_f64;
    default:
      return for_kind(conversion.to, []<class D>(std::type_identity<D> /*to*/) -> Handler {
        return run_general_to_integer<D>;
      });
  }
}

struct PackedFormat {
  std::string_view name;
  FloatFormat format;
  unsigned bits;  ///< of one number
};
constexpr std::array<PackedFormat, 4> kPacked = {{{"f16x2", kFormatF16, 16},
                                                  {"bf16x2", kFormatBf16, 16},
                                                  {"e4m3x2", kFormatE4m3, 8},
                                                  {"e5m2x2", kFormatE5m2, 8}}};

int find_packed(std::string_view type) {
  for (std::size_t i = 0; i < kPacked.size(); ++i) {
    if (kPacked[i].name == type) return static_cast<int>(i);
  }
  return -1;
}

// Instruction::immediate
constexpr unsigned kFromShift = 8;  ///< 0 = two f32, else 1 + index of the source's format

double adjusted(double value, unsigned option) {
  if ((option & kRelu) != 0 && value <= 0) value = 0;
  return value;
}

/// The two numbers of one lane: the first goes to the upper half.
std::array<double, 2> read_pair(Warp& warp, const Instruction& in, int lane) {
  const auto from = static_cast<unsigned>(in.immediate) >> kFromShift;
  if (from == 0) {
    return {static_cast<double>(lanes<const float>(warp, in.a)[lane]),
            static_cast<double>(lanes<const float>(warp, in.b)[lane])};
  }
  const PackedFormat& packed = kPacked[from - 1];
  const std::uint32_t both = packed.bits == 8 ? lanes<const std::uint16_t>(warp, in.a)[lane]
                                              : lanes<const std::uint32_t>(warp, in.a)[lane];
  const std::uint32_t low = both & ((1U << packed.bits) - 1U);
  return {decode_float(both >> packed.bits, packed.format), decode_float(low, packed.format)};
}

template <class T>
void run_packed(Warp& warp, const Instruction& in, Mask active) {
  const PackedFormat& to = kPacked[static_cast<std::size_t>(in.immediate & 0xff)];
  alignas(64) T values[kLanes];
  for (int lane = 0; lane < kLanes; ++lane) {
    const auto [high, low] = read_pair(warp, in, lane);
    const auto code = [&](double value) {
      return encode_float(adjusted(value, in.option), to.format, rounding_of(in),
                          (in.option & kFinite) != 0);
    };
    values[lane] = static_cast<T>((code(high) << to.bits) | code(low));
  }
  store_lanes(lanes<T>(warp, in.d), values, active);
}

/// Two floats to the nearest halves: the usual case.
template <class Format>
void run_nearest_pair(Warp& warp, const Instruction& in, Mask active) {
  alignas(64) float canonical_high[kLanes];
  alignas(64) float canonical_low[kLanes];
  alignas(64) std::uint16_t high[kLanes];
  alignas(64) std::uint16_t low[kLanes];
  alignas(64) std::uint32_t values[kLanes];
  const auto* const a = lanes<const float>(warp, in.a);
  const auto* const b = lanes<const float>(warp, in.b);
  for (int i = 0; i < kLanes; ++i) canonical_high[i] = canonical(a[i]);
  for (int i = 0; i < kLanes; ++i) canonical_low[i] = canonical(b[i]);
  Format::narrow(canonical_high, high, kLanes);
  Format::narrow(canonical_low, low, kLanes);
  for (int i = 0; i < kLanes; ++i) {
    values[i] = (static_cast<std::uint32_t>(high[i]) << 16U) | low[i];
  }
  store_lanes(lanes<std::uint32_t>(warp, in.d), values, active);
}

Handler packed_handler(int to, int from, unsigned option) {
  const bool is_nearest = (option & (kRoundingMask | kRelu | kFinite)) == 0;
  if (from < 0 && is_nearest && to == 0) return run_nearest_pair<Float16>;
  if (from < 0 && is_nearest && to == 1) return run_nearest_pair<Bfloat16>;
  return kPacked[static_cast<std::size_t>(to)].bits == 8 ? run_packed<std::uint16_t>
                                                         : run_packed<std::uint32_t>;
}

void read_packed_conversion(StatementReader& read, std::string_view to, std::string_view from,
                            unsigned option) {
  const int to_index = find_packed(to);
  const int from_index = find_packed(from);
  if (to_index < 0) return read.fail("the type ." + std::string(to));
  if (from_index < 0 && from != "f32") return read.fail("the type ." + std::string(from));
  if ((option & (kSaturate | kFlush | kToWhole)) != 0) {
    return read.fail("the modifiers of a conversion to ." + std::string(to));
  }
  // The 8-bit formats have no other way.
  const bool is_narrow = kPacked[static_cast<std::size_t>(to_index)].bits == 8;
  if (is_narrow) option |= kFinite;
  read.use(packed_handler(to_index, from_index, option), to);
  read.out.d = read.destination(is_narrow ? 2 : 4);
  if (from_index < 0) {
    read.out.a = read.source(4, "f32");
    read.out.b = read.source(4, "f32");
  } else {
    const bool is_narrow_source = kPacked[static_cast<std::size_t>(from_index)].bits == 8;
    read.out.a = read.source(is_narrow_source ? 2 : 4, is_narrow_source ? "b16" : "b32");
  }
  read.out.option = static_cast<std::uint16_t>(option);
  read.out.immediate = to_index | ((from_index + 1) << kFromShift);
  read.set_cost(Pipe::half, 1);
}

}  // namespace

std::span<const OpcodeEntry> convert_opcodes() {
  static constexpr OpcodeEntry table[] = {
      {"cvt", TypeClass::any, decode_with<decode_cvt>},
  };
  return table;
}

}  // namespace warpmind::simulator
