#include "profilers/simulator/ops/convert.h"
#include "profilers/simulator/ops/half.h"

#include <algorithm>

namespace warpmind::simulator {
namespace {

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

}  // namespace

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

}  // namespace warpmind::simulator
