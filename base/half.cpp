#include "base/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace warpmind {
namespace {

/// A binary format of 16 bits: sign, exponent, mantissa.
struct Format {
  int exponent_bits;
  int mantissa_bits;

  [[nodiscard]] constexpr int least_exponent() const { return 2 - (1 << (exponent_bits - 1)); }
  [[nodiscard]] constexpr std::uint16_t infinity() const {
    return static_cast<std::uint16_t>(((1U << exponent_bits) - 1U) << mantissa_bits);
  }
};

constexpr Format kF16{5, 10};
constexpr Format kBf16{8, 7};

/// Drops the low mantissa bits of the double with rounding; a carry moves into the exponent.
std::uint16_t encode_normal(double magnitude, Format format) {
  const int dropped = 52 - format.mantissa_bits;
  const auto bits = std::bit_cast<std::uint64_t>(magnitude);
  const std::uint64_t odd = (bits >> dropped) & 1U;
  const std::uint64_t rounded = (bits + (std::uint64_t{1} << (dropped - 1)) - 1U + odd) >> dropped;
  const int bias = 1 - format.least_exponent();
  const std::uint64_t rebased =
      rounded - (static_cast<std::uint64_t>(1023 - bias) << format.mantissa_bits);
  return static_cast<std::uint16_t>(std::min<std::uint64_t>(rebased, format.infinity()));
}

/// Counts steps of the smallest denormal; rounding up to the first normal number is right as is.
std::uint16_t encode_denormal(double magnitude, Format format) {
  const double steps =
      std::nearbyint(std::scalbn(magnitude, format.mantissa_bits - format.least_exponent()));
  return static_cast<std::uint16_t>(steps);
}

std::uint16_t encode(double value, Format format) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000U : 0U);
  const double magnitude = std::fabs(value);
  if (std::isnan(value)) {
    return static_cast<std::uint16_t>(sign | format.infinity() |
                                      (1U << (format.mantissa_bits - 1)));
  }
  if (std::isinf(value)) return static_cast<std::uint16_t>(sign | format.infinity());
  if (magnitude == 0) return sign;
  if (magnitude >= std::scalbn(1.0, format.least_exponent())) {
    return static_cast<std::uint16_t>(sign | encode_normal(magnitude, format));
  }
  return static_cast<std::uint16_t>(sign | encode_denormal(magnitude, format));
}

double decode(std::uint16_t bits, Format format) {
  const std::uint32_t mantissa = bits & ((1U << format.mantissa_bits) - 1U);
  const std::uint32_t exponent =
      (static_cast<std::uint32_t>(bits) & 0x7FFFU) >> format.mantissa_bits;
  const double sign = (bits & 0x8000U) != 0 ? -1.0 : 1.0;
  if (exponent == (1U << format.exponent_bits) - 1U) {
    return mantissa != 0 ? std::numeric_limits<double>::quiet_NaN()
                         : sign * std::numeric_limits<double>::infinity();
  }
  if (exponent == 0) {
    return sign * std::scalbn(static_cast<double>(mantissa),
                              format.least_exponent() - format.mantissa_bits);
  }
  const std::uint64_t rebased =
      exponent + static_cast<std::uint64_t>(1022 + format.least_exponent());
  const std::uint64_t pattern =
      (rebased << 52U) | (std::uint64_t{mantissa} << (52 - format.mantissa_bits));
  return sign * std::bit_cast<double>(pattern);
}

}  // namespace

std::uint16_t f16_from_double(double value) { return encode(value, kF16); }
double f16_to_double(std::uint16_t bits) { return decode(bits, kF16); }
std::uint16_t bf16_from_double(double value) { return encode(value, kBf16); }
double bf16_to_double(std::uint16_t bits) { return decode(bits, kBf16); }

}  // namespace warpmind
