// Real numbers as far as loops and conditions need them: bounds, grid coordinates, powers of two.
#include "profilers/flops/walk_program.h"

#include <bit>
#include <cmath>
#include <limits>

namespace warpmind::profilers {
namespace {

using Rule = WalkStep::Rule;

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

template <class T>
T number_of(std::uint64_t bits) {
  return std::bit_cast<T>(static_cast<BitsOf<T>>(bits));
}

template <class T>
std::uint64_t bits_of(T number) {
  return std::bit_cast<BitsOf<T>>(number);
}

template <class T>
bool holds(T a, T b, const WalkStep& step) {
  if (std::isnan(a) || std::isnan(b)) return step.unordered;
  switch (step.relation) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a < b;
    case 3: return a <= b;
    case 4: return a > b;
    default: return a >= b;
  }
}

template <class T>
std::optional<T> arithmetic(const WalkStep& step, T a, T b, T c) {
  switch (step.rule) {
    case Rule::add: return a + b;
    case Rule::sub: return a - b;
    case Rule::mul_low: return a * b;
    case Rule::mad_low: return std::fma(a, b, c);
    case Rule::divide: return a / b;
    case Rule::minimum: return std::fmin(a, b);
    case Rule::maximum: return std::fmax(a, b);
    case Rule::absolute: return std::abs(a);
    case Rule::negative: return -a;
    case Rule::root: return std::sqrt(a);
    case Rule::reciprocal: return T{1} / a;
    case Rule::logarithm: return std::log2(a);
    case Rule::power: return std::exp2(a);
    default: return std::nullopt;
  }
}

/// What the machine only approximates is known where it is whole.
template <class T>
std::optional<std::uint64_t> arithmetic_bits(const WalkStep& step, T a, T b, T c) {
  const auto result = arithmetic(step, a, b, c);
  if (!result) return std::nullopt;
  const bool whole = std::isfinite(*result) && std::trunc(*result) == *result;
  if (step.approximate && !whole) return std::nullopt;
  return bits_of(*result);
}

double rounded(double value, WalkStep::Rounding rounding) {
  switch (rounding) {
    case WalkStep::Rounding::down: return std::floor(value);
    case WalkStep::Rounding::up: return std::ceil(value);
    case WalkStep::Rounding::zero: return std::trunc(value);
    case WalkStep::Rounding::nearest: break;
  }
  return std::nearbyint(value);
}

/// Numbers outside of the type become its ends on the machine; here they are not known.
std::optional<std::uint64_t> to_integer(double whole, const WalkStep& step) {
  const double limit = std::exp2(step.is_signed ? step.bits - 1 : step.bits);
  const double least = step.is_signed ? -limit : 0;
  if (!(whole >= least && whole < limit)) return std::nullopt;
  return step.is_signed ? static_cast<std::uint64_t>(static_cast<std::int64_t>(whole))
                        : static_cast<std::uint64_t>(whole);
}

template <class T>
T real_of_integer(std::uint64_t bits, const WalkStep& step) {
  if (!step.from_signed) return static_cast<T>(bits);
  const unsigned unused = 64U - step.from_bits;
  return static_cast<T>(static_cast<std::int64_t>(bits << unused) >> unused);
}

std::optional<std::uint64_t> convert(const WalkStep& step, std::uint64_t bits) {
  if (!step.from_real) {
    return step.bits == 32 ? bits_of(real_of_integer<float>(bits, step))
                           : bits_of(real_of_integer<double>(bits, step));
  }
  double value = step.from_bits == 32 ? double{number_of<float>(bits)} : number_of<double>(bits);
  if (step.to_whole) value = rounded(value, step.rounding);
  if (!step.is_real) return to_integer(value, step);
  return step.bits == 32 ? bits_of(static_cast<float>(value)) : bits_of(value);
}

template <class T>
std::optional<std::uint64_t> result_in(const WalkStep& step,
                                       const std::array<std::uint64_t, 4>& values) {
  const T a = number_of<T>(values[0]);
  const T b = number_of<T>(values[1]);
  if (step.rule != Rule::compare) return arithmetic_bits(step, a, b, number_of<T>(values[2]));
  const bool held = holds(a, b, step);
  const bool other = values[2] != 0;
  switch (step.combine) {
    case 1: return held && other ? 1 : 0;
    case 2: return held || other ? 1 : 0;
    case 3: return held != other ? 1 : 0;
    default: return held ? 1 : 0;
  }
}

}  // namespace

std::optional<std::uint64_t> real_result(const WalkStep& step,
                                         const std::array<std::uint64_t, 4>& values) {
  if (step.rule == Rule::convert) return convert(step, values[0]);
  return step.bits == 32 ? result_in<float>(step, values) : result_in<double>(step, values);
}

}  // namespace warpmind::profilers
