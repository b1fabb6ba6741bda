#include "profilers/judge/elements.h"

#include "base/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace warpmind::profilers {
namespace {

template <class T>
T clamp_to(double value) {
  if (std::isnan(value)) return 0;
  const double rounded = std::nearbyint(value);
  constexpr auto kLow = static_cast<double>(std::numeric_limits<T>::lowest());
  constexpr auto kHigh = static_cast<double>(std::numeric_limits<T>::max());
  if (rounded <= kLow) return std::numeric_limits<T>::lowest();
  if (rounded >= kHigh) return std::numeric_limits<T>::max();
  return static_cast<T>(rounded);
}

float to_f32(double value) { return static_cast<float>(value); }

template <class T, class Convert>
std::string encode_as(const std::vector<double>& values, Convert convert) {
  std::string bytes(values.size() * sizeof(T), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T element = convert(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
  }
  return bytes;
}

template <class T>
T element_at(std::string_view bytes, std::size_t index) {
  T element{};
  std::memcpy(&element, bytes.data() + index * sizeof(T), sizeof(T));
  return element;
}

/// Orders the bit patterns of a sign-magnitude format of `bits` bits along the number line.
std::int64_t ordinal(std::uint64_t pattern, int bits) {
  const std::uint64_t sign = std::uint64_t{1} << static_cast<unsigned>(bits - 1);
  const auto magnitude = static_cast<std::int64_t>(pattern & (sign - 1));
  return (pattern & sign) != 0 ? -magnitude : magnitude;
}

std::int64_t ordinal_of(double value, Dtype dtype) {
  switch (dtype) {
    case Dtype::f16: return ordinal(f16_from_double(value), 16);
    case Dtype::bf16: return ordinal(bf16_from_double(value), 16);
    case Dtype::f32: return ordinal(std::bit_cast<std::uint32_t>(to_f32(value)), 32);
    case Dtype::f64: return ordinal(std::bit_cast<std::uint64_t>(value), 64);
    default: return clamp_to<std::int64_t>(value);
  }
}

}  // namespace

double round_to(double value, Dtype dtype) {
  switch (dtype) {
    case Dtype::f16: return f16_to_double(f16_from_double(value));
    case Dtype::bf16: return bf16_to_double(bf16_from_double(value));
    case Dtype::f32: return double{to_f32(value)};
    case Dtype::f64: return value;
    case Dtype::i8: return clamp_to<std::int8_t>(value);
    case Dtype::u8: return clamp_to<std::uint8_t>(value);
    case Dtype::i32: return clamp_to<std::int32_t>(value);
    case Dtype::u32: return clamp_to<std::uint32_t>(value);
    case Dtype::i64: return static_cast<double>(clamp_to<std::int64_t>(value));
  }
  return value;
}

std::string encode_elements(const std::vector<double>& values, Dtype dtype) {
  switch (dtype) {
    case Dtype::f16: return encode_as<std::uint16_t>(values, f16_from_double);
    case Dtype::bf16: return encode_as<std::uint16_t>(values, bf16_from_double);
    case Dtype::f32: return encode_as<float>(values, to_f32);
    case Dtype::f64: return encode_as<double>(values, [](double v) { return v; });
    case Dtype::i8: return encode_as<std::int8_t>(values, clamp_to<std::int8_t>);
    case Dtype::u8: return encode_as<std::uint8_t>(values, clamp_to<std::uint8_t>);
    case Dtype::i32: return encode_as<std::int32_t>(values, clamp_to<std::int32_t>);
    case Dtype::u32: return encode_as<std::uint32_t>(values, clamp_to<std::uint32_t>);
    case Dtype::i64: return encode_as<std::int64_t>(values, clamp_to<std::int64_t>);
  }
  return {};
}

double decode_element(std::string_view bytes, Dtype dtype, std::size_t index) {
  switch (dtype) {
    case Dtype::f16: return f16_to_double(element_at<std::uint16_t>(bytes, index));
    case Dtype::bf16: return bf16_to_double(element_at<std::uint16_t>(bytes, index));
    case Dtype::f32: return double{element_at<float>(bytes, index)};
    case Dtype::f64: return element_at<double>(bytes, index);
    case Dtype::i8: return element_at<std::int8_t>(bytes, index);
    case Dtype::u8: return element_at<std::uint8_t>(bytes, index);
    case Dtype::i32: return element_at<std::int32_t>(bytes, index);
    case Dtype::u32: return element_at<std::uint32_t>(bytes, index);
    case Dtype::i64: return static_cast<double>(element_at<std::int64_t>(bytes, index));
  }
  return 0;
}

std::vector<double> decode_elements(std::string_view bytes, Dtype dtype) {
  std::vector<double> values(bytes.size() / size_in_bytes(dtype));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = decode_element(bytes, dtype, i);
  return values;
}

std::int64_t ulp_distance(double a, double b, Dtype dtype) {
  const std::int64_t first = ordinal_of(a, dtype);
  const std::int64_t second = ordinal_of(b, dtype);
  constexpr std::int64_t kSaturated = std::int64_t{1} << 62U;
  std::int64_t difference = 0;
  if (__builtin_sub_overflow(first, second, &difference)) return kSaturated;
  return std::min(std::abs(difference), kSaturated);
}

double last_place(double value, Dtype dtype) {
  const double magnitude = std::max(std::fabs(value), smallest_normal(dtype));
  // The power of two below: the double's own bits without its mantissa.
  constexpr std::uint64_t kMantissa = (std::uint64_t{1} << 52U) - 1U;
  const auto octave = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) & ~kMantissa);
  return std::max(octave * 2 * unit_roundoff(dtype), smallest_denormal(dtype));
}

double largest_finite(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16: return 65504.0;
    case Dtype::bf16: return 0x1.FEp127;
    case Dtype::f32: return double{std::numeric_limits<float>::max()};
    default: return std::numeric_limits<double>::max();
  }
}

double smallest_normal(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16: return 0x1p-14;
    case Dtype::bf16:
    case Dtype::f32: return 0x1p-126;
    default: return std::numeric_limits<double>::min();
  }
}

double smallest_denormal(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16: return 0x1p-24;
    case Dtype::bf16: return 0x1p-133;
    case Dtype::f32: return 0x1p-149;
    default: return std::numeric_limits<double>::denorm_min();
  }
}

}  // namespace warpmind::profilers
