#include "profilers/simulator/ops/narrow_float.h"

#include <algorithm>
#include <limits>

namespace warpmind::simulator {
namespace {

/// The code for a magnitude that is too large.
std::uint32_t overflow(const FloatFormat& format, Rounding rounding, bool negative, bool finite) {
  const bool stays = rounding == Rounding::zero || (rounding == Rounding::down && !negative) ||
                     (rounding == Rounding::up && negative);
  return finite || stays ? format.greatest : format.infinity;
}

}  // namespace

double round_whole(double value, Rounding rounding) {
  switch (rounding) {
    case Rounding::down: return std::floor(value);
    case Rounding::up: return std::ceil(value);
    case Rounding::zero: return std::trunc(value);
    case Rounding::nearest_away: return std::round(value);
    default: return std::nearbyint(value);
  }
}

std::uint32_t encode_float(double value, const FloatFormat& format, Rounding rounding,
                           bool finite) {
  if (std::isnan(value)) return format.nan;
  const bool negative = std::signbit(value);
  const std::uint32_t sign =
      negative ? 1U << static_cast<unsigned>(format.exponent_bits + format.mantissa_bits) : 0U;
  const double size = std::fabs(value);
  if (std::isinf(value)) return sign | (finite ? format.greatest : format.infinity);
  if (size == 0) return sign;

  const int bias = (1 << static_cast<unsigned>(format.exponent_bits - 1)) - 1;
  const int exponent = std::max(std::ilogb(size), 1 - bias);
  if (exponent > bias + 1) return sign | overflow(format, rounding, negative, finite);
  // In units of the last place: a whole number after rounding, with the leading one (if any).
  const double units = std::ldexp(value, format.mantissa_bits - exponent);
  const auto mantissa = static_cast<std::uint32_t>(std::fabs(round_whole(units, rounding)));
  // The leading one, or the carry of a rounding up, adds to the exponent as it should.
  const std::uint32_t code = mantissa + (static_cast<std::uint32_t>(exponent + bias - 1)
                                         << static_cast<unsigned>(format.mantissa_bits));
  if (code > format.greatest) return sign | overflow(format, rounding, negative, finite);
  return sign | code;
}

double decode_float(std::uint32_t bits, const FloatFormat& format) {
  const auto mantissa_bits = static_cast<unsigned>(format.mantissa_bits);
  const auto exponent_bits = static_cast<unsigned>(format.exponent_bits);
  const bool negative = ((bits >> (mantissa_bits + exponent_bits)) & 1U) != 0;
  const std::uint32_t code = bits & ((1U << (mantissa_bits + exponent_bits)) - 1U);
  const double sign = negative ? -1.0 : 1.0;
  if (code > format.greatest) {
    const bool is_infinity = code == format.infinity;
    return is_infinity ? sign * std::numeric_limits<double>::infinity()
                       : std::numeric_limits<double>::quiet_NaN();
  }
  const int bias = (1 << (exponent_bits - 1U)) - 1;
  const std::uint32_t exponent = code >> mantissa_bits;
  std::uint32_t mantissa = code & ((1U << mantissa_bits) - 1U);
  if (exponent != 0) mantissa |= 1U << mantissa_bits;
  const int scale = std::max(static_cast<int>(exponent), 1) - bias - format.mantissa_bits;
  return sign * std::ldexp(static_cast<double>(mantissa), scale);
}

}  // namespace warpmind::simulator
