#pragma once
/// \file
/// Comparisons of setp and set: on integers, and on floats with and without NaN.

#include "profilers/simulator/ops/lanes.h"
#include "profilers/simulator/ops/rounding.h"
#include "profilers/simulator/ops/statement_reader.h"

#include <cstdint>

namespace warpmind::simulator {

/// The u forms hold for NaN, too. lo ls hi hs are lt le gt ge of unsigned integers.
enum class Comparison : std::uint8_t {
  eq,
  ne,
  lt,
  le,
  gt,
  ge,
  equ,
  neu,
  ltu,
  leu,
  gtu,
  geu,
  num,
  nan,
};
inline constexpr int kIntegerComparisons = 6;
inline constexpr int kComparisons = 14;

/// With the order of C's operators: false for NaN, except !=.
template <Comparison Which>
struct Compare {
  template <class T>
  static bool apply(T a, T b) {
    switch (Which) {
      case Comparison::eq: return a == b;
      case Comparison::ne: return std::is_floating_point_v<T> ? (a < b) | (a > b) : a != b;
      case Comparison::lt: return a < b;
      case Comparison::le: return a <= b;
      case Comparison::gt: return a > b;
      case Comparison::ge: return a >= b;
      case Comparison::equ: return !((a < b) | (a > b));
      case Comparison::neu: return a != b;
      case Comparison::ltu: return !(a >= b);
      case Comparison::leu: return !(a > b);
      case Comparison::gtu: return !(a <= b);
      case Comparison::geu: return !(a < b);
      case Comparison::num: return (a == a) & (b == b);
      default: return (a != a) | (b != b);
    }
  }
};

/// Both operands flushed first: .ftz.
template <class F>
struct Flushed {
  template <class T>
  static bool apply(T a, T b) {
    return F::apply(flush(a), flush(b));
  }
};

/// Parts of Instruction::option of setp and set.
inline constexpr unsigned kCombineMask = 3;     ///< none, and, or, xor
inline constexpr unsigned kCombineNegates = 4;  ///< "!" before the third operand
inline constexpr unsigned kCompareFlushes = 8;

/// r BoolOp c, with the third operand of the instruction.
[[nodiscard]] inline Mask combine_with(Warp& warp, const Instruction& in, Mask result) {
  if ((in.option & kCombineMask) == 0) return result;
  Mask third = predicate(warp, in.c);
  if ((in.option & kCombineNegates) != 0) third = ~third;
  switch (in.option & kCombineMask) {
    case 1: return result & third;
    case 2: return result | third;
    default: return result ^ third;
  }
}

/// What all forms have: .CmpOp, .BoolOp and .ftz. The third operand is read by read_third().
struct ComparisonForm {
  int comparison = -1;  ///< a Comparison
  unsigned option = 0;
};
[[nodiscard]] ComparisonForm read_comparison(StatementReader& read, std::string_view type);
void read_third(StatementReader& read, unsigned option);

/// half_compare.cpp: f16 bf16 f16x2 bf16x2; null for other types. They find the comparison in
/// Instruction::option2.
[[nodiscard]] Handler half_setp_handler(std::string_view type, int comparison);
[[nodiscard]] Handler half_set_handler(std::string_view type, std::string_view result,
                                       int comparison);

}  // namespace warpmind::simulator
