#include "profilers/simulator/ptx/literal.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <system_error>

namespace warpmind::simulator::ptx {
namespace {

std::optional<std::uint64_t> parse_digits(std::string_view digits, int base) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, value, base);
  if (digits.empty() || stopped != end || error != std::errc()) return std::nullopt;
  return value;
}

std::optional<Literal> parse_integer(std::string_view text) {
  if (text.back() == 'U') text.remove_suffix(1);
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
  } else if (text.starts_with("0b") || text.starts_with("0B")) {
    base = 2;
  } else if (text.size() > 1 && text.front() == '0') {
    base = 8;
  }
  if (base == 16 || base == 2) text.remove_prefix(2);
  const auto value = parse_digits(text, base);
  if (!value) return std::nullopt;
  return Literal{LiteralKind::integer, *value};
}

std::optional<Literal> parse_real_bits(std::string_view text) {
  const bool is_double = text[1] == 'd' || text[1] == 'D';
  text.remove_prefix(2);
  if (text.size() != (is_double ? 16U : 8U)) return std::nullopt;
  const auto value = parse_digits(text, 16);
  if (!value) return std::nullopt;
  return Literal{is_double ? LiteralKind::real64 : LiteralKind::real32, *value};
}

std::optional<Literal> parse_decimal(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, value);
  if (stopped != end || error != std::errc()) return std::nullopt;
  return Literal{LiteralKind::real64, std::bit_cast<std::uint64_t>(value)};
}

/// The value as a double; a 64-bit integer is read as signed.
double as_double(const Literal& literal) {
  switch (literal.kind) {
    case LiteralKind::integer: return static_cast<double>(static_cast<std::int64_t>(literal.bits));
    case LiteralKind::real32: return std::bit_cast<float>(static_cast<std::uint32_t>(literal.bits));
    case LiteralKind::real64: break;
  }
  return std::bit_cast<double>(literal.bits);
}

/// Sign, exponent and mantissa of a 16-bit float with so many exponent bits, nearest even.
std::uint64_t to_16_bits(double value, int exponent_bits) {
  const int mantissa_bits = 15 - exponent_bits;
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const std::uint64_t sign = std::signbit(value) ? 0x8000U : 0U;
  const std::uint64_t infinity = ((std::uint64_t{1} << exponent_bits) - 1U) << mantissa_bits;
  if (std::isnan(value)) return 0x7fffU;
  if (std::isinf(value)) return sign | infinity;
  if (value == 0) return sign;
  const int exponent = std::max(std::ilogb(value), 1 - bias);
  // Units in the last place; carries over into the exponent, and to infinity, by themselves.
  const double units = std::nearbyint(std::scalbn(std::fabs(value), mantissa_bits - exponent));
  if (exponent > bias) return sign | infinity;
  const auto above = static_cast<std::uint64_t>(exponent + bias - 1) << mantissa_bits;
  const std::uint64_t magnitude = above + static_cast<std::uint64_t>(units);
  return sign | std::min(magnitude, infinity);
}

}  // namespace

std::optional<Literal> parse_literal(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const char kind = text.size() > 1 && text[0] == '0' ? text[1] : '\0';
  if (kind == 'f' || kind == 'F' || kind == 'd' || kind == 'D') return parse_real_bits(text);
  if (kind == 'x' || kind == 'X') return parse_integer(text);
  if (text.find_first_of(".eE") != std::string_view::npos) return parse_decimal(text);
  return parse_integer(text);
}

Literal negated(const Literal& literal) {
  switch (literal.kind) {
    case LiteralKind::integer: return {literal.kind, ~literal.bits + 1U};
    case LiteralKind::real32: return {literal.kind, literal.bits ^ 0x8000'0000U};
    case LiteralKind::real64: break;
  }
  return {literal.kind, literal.bits ^ 0x8000'0000'0000'0000U};
}

std::uint64_t literal_bits(const Literal& literal, const LiteralType& type) {
  if (!type.is_real) {
    if (literal.kind != LiteralKind::real64 || type.bytes != 4) return literal.bits;
    // "mov.b32 %r1, 1.5" means the bits of a float.
    return std::bit_cast<std::uint32_t>(static_cast<float>(as_double(literal)));
  }
  if (type.bytes == 8) {
    if (literal.kind == LiteralKind::real64) return literal.bits;
    return std::bit_cast<std::uint64_t>(as_double(literal));
  }
  if (type.bytes == 2) return to_16_bits(as_double(literal), type.is_bfloat ? 8 : 5);
  if (literal.kind == LiteralKind::real32) return literal.bits;
  return std::bit_cast<std::uint32_t>(static_cast<float>(as_double(literal)));
}

}  // namespace warpmind::simulator::ptx
