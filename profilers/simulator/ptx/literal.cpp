#include "profilers/simulator/ptx/literal.h"

#include "base/half.h"
#include "base/text.h"

#include <bit>
#include <cmath>
#include <system_error>

namespace warpmind::simulator::ptx {
namespace {

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
  const auto value = parse_number<std::uint64_t>(text, base);
  if (!value) return std::nullopt;
  return Literal{LiteralKind::integer, *value};
}

std::optional<Literal> parse_real_bits(std::string_view text) {
  const bool is_double = text[1] == 'd' || text[1] == 'D';
  text.remove_prefix(2);
  if (text.size() != (is_double ? 16U : 8U)) return std::nullopt;
  const auto value = parse_number<std::uint64_t>(text, 16);
  if (!value) return std::nullopt;
  return Literal{is_double ? LiteralKind::real64 : LiteralKind::real32, *value};
}

std::optional<Literal> parse_decimal(std::string_view text) {
  const auto value = parse_number<double>(text);
  if (!value) return std::nullopt;
  return Literal{LiteralKind::real64, std::bit_cast<std::uint64_t>(*value)};
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

/// The bit pattern of f16 or bf16; PTX writes every NaN as 0x7fff.
std::uint64_t half_bits(double value, bool is_bfloat) {
  if (std::isnan(value)) return 0x7fffU;
  return is_bfloat ? bf16_from_double(value) : f16_from_double(value);
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
  if (type.bytes == 2) return half_bits(as_double(literal), type.is_bfloat);
  if (literal.kind == LiteralKind::real32) return literal.bits;
  return std::bit_cast<std::uint32_t>(static_cast<float>(as_double(literal)));
}

}  // namespace warpmind::simulator::ptx
