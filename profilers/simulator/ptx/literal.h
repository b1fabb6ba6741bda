#pragma once
/// \file
/// Numbers as PTX writes them.

#include <cstdint>
#include <optional>
#include <string_view>

namespace warpmind::simulator::ptx {

enum class LiteralKind : std::uint8_t { integer, real32, real64 };

struct Literal {
  LiteralKind kind = LiteralKind::integer;
  std::uint64_t bits = 0;  ///< two's complement, or the bits of the float or double
};

/// `text` has no sign: "12", "017", "0x1fU", "0b101", "0f3F800000", "0d3FF0000000000000", "1.5e3".
/// nullopt when it is none of these, or does not fit into 64 bits.
[[nodiscard]] std::optional<Literal> parse_literal(std::string_view text);

[[nodiscard]] Literal negated(const Literal& literal);

/// The bits of `literal` in a type of `bytes` (2, 4 or 8 for real types): numbers are converted
/// between integer, float and double, and rounded to nearest even; integers are cut off.
/// A 2-byte real is an f16, or with `is_bfloat` a bf16.
struct LiteralType {
  int bytes = 4;
  bool is_real = false;
  bool is_bfloat = false;
};
[[nodiscard]] std::uint64_t literal_bits(const Literal& literal, const LiteralType& type);

}  // namespace warpmind::simulator::ptx
