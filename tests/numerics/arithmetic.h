#pragma once
/// \file
/// How a kernel sums: ten orders that are all honest, and flaws that are not.

#include "base/enum_names.h"
#include "profilers/judge/elements.h"

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>

namespace warpmind::numerics {

enum class Order {
  sequential,
  reverse,
  pairwise,     ///< a tree
  lanes4,       ///< four partial sums
  lanes32,      ///< a warp: strided partial sums, then a butterfly
  blocks64,     ///< tiles of K
  split_k,      ///< two halves, added at the end
  fused,        ///< FMA
  compensated,  ///< Kahan
  shuffled,     ///< whatever order atomics give
};

enum class Flaw {
  none,
  drop_last,        ///< K - 1
  extra_term,       ///< K + 1: a term that does not belong
  swapped_operand,  ///< the first two elements of one operand change places
  wrong_epsilon,    ///< 1e-3 instead of 1e-5
  no_epsilon,
  missing_scale,  ///< a factor or term of the formula is forgotten
  operands_tf32,
  operands_f16,
  operands_bf16,
  operands_f32,  ///< of a task in double precision
  sums_f16,
  sums_bf16,
  sums_f32,
};

}  // namespace warpmind::numerics

namespace warpmind {
WARPMIND_ENUM_NAMES(numerics::Order, {numerics::Order::sequential, "sequential"},
                    {numerics::Order::reverse, "reverse"}, {numerics::Order::pairwise, "pairwise"},
                    {numerics::Order::lanes4, "4 lanes"}, {numerics::Order::lanes32, "32 lanes"},
                    {numerics::Order::blocks64, "blocks of 64"},
                    {numerics::Order::split_k, "split K"}, {numerics::Order::fused, "FMA"},
                    {numerics::Order::compensated, "compensated"},
                    {numerics::Order::shuffled, "shuffled"});
WARPMIND_ENUM_NAMES(
    numerics::Flaw, {numerics::Flaw::none, "none"}, {numerics::Flaw::drop_last, "K-1"},
    {numerics::Flaw::extra_term, "K+1 garbage"}, {numerics::Flaw::swapped_operand, "swapped index"},
    {numerics::Flaw::wrong_epsilon, "wrong eps"}, {numerics::Flaw::no_epsilon, "no eps"},
    {numerics::Flaw::missing_scale, "missing scale"},
    {numerics::Flaw::operands_tf32, "tf32 operands"},
    {numerics::Flaw::operands_f16, "f16 operands"},
    {numerics::Flaw::operands_bf16, "bf16 operands"},
    {numerics::Flaw::operands_f32, "f32 operands"}, {numerics::Flaw::sums_f16, "f16 sums"},
    {numerics::Flaw::sums_bf16, "bf16 sums"}, {numerics::Flaw::sums_f32, "f32 sums"});
}  // namespace warpmind

namespace warpmind::numerics {

/// 10 explicit bits of mantissa, to nearest even.
[[nodiscard]] double round_to_tf32(double value);

/// Sums in `T` (float or double) by one order, with one flaw.
template <class T>
class Arithmetic {
 public:
  Arithmetic(Order order, Flaw flaw) : order_(order), flaw_(flaw) {}

  [[nodiscard]] Flaw flaw() const { return flaw_; }

  [[nodiscard]] T operand(double value) const {
    switch (flaw_) {
      case Flaw::operands_tf32: return static_cast<T>(round_to_tf32(value));
      case Flaw::operands_f16: return static_cast<T>(profilers::round_to(value, Dtype::f16));
      case Flaw::operands_bf16: return static_cast<T>(profilers::round_to(value, Dtype::bf16));
      case Flaw::operands_f32: return static_cast<T>(static_cast<float>(value));
      default: return static_cast<T>(value);
    }
  }

  /// Of a(i) b(i) for i below `count`.
  template <class A, class B>
  [[nodiscard]] T dot(std::int64_t count, const A& a, const B& b) const {
    const auto term = [&](T sum, std::int64_t i) {
      return step(sum, operand(a(flaw_ == Flaw::swapped_operand && i < 2 && count > 1 ? 1 - i : i)),
                  operand(b(i)));
    };
    T sum = total(count - (flaw_ == Flaw::drop_last ? 1 : 0), term);
    if (flaw_ == Flaw::extra_term && count > 0)
      sum = step(sum, operand(a(0)), operand(b(count / 2)));
    return sum;
  }

  template <class A>
  [[nodiscard]] T sum(std::int64_t count, const A& a) const {
    // Two terms of a sum that change places are but another order.
    const Arithmetic plain(order_, flaw_ == Flaw::swapped_operand ? Flaw::none : flaw_);
    return plain.dot(count, a, [](std::int64_t) { return 1.0; });
  }

 private:
  [[nodiscard]] T rounded(T value) const {
    switch (flaw_) {
      case Flaw::sums_f16: return static_cast<T>(profilers::round_to(value, Dtype::f16));
      case Flaw::sums_bf16: return static_cast<T>(profilers::round_to(value, Dtype::bf16));
      case Flaw::sums_f32: return static_cast<T>(static_cast<float>(value));
      default: return value;
    }
  }
  [[nodiscard]] T step(T sum, T a, T b) const {
    return rounded(order_ == Order::fused ? std::fma(a, b, sum) : sum + a * b);
  }

  template <class Term>
  [[nodiscard]] T total(std::int64_t count, const Term& term) const {
    switch (order_) {
      case Order::pairwise: return tree(0, count, term);
      case Order::lanes4: return lanes<4>(count, term);
      case Order::lanes32: return lanes<32>(count, term);
      case Order::compensated: return compensated(count, term);
      case Order::split_k: return rounded(run(0, count / 2, term) + run(count / 2, count, term));
      case Order::blocks64: {
        T sum = 0;
        for (std::int64_t i = 0; i < count; i += 64) {
          sum = rounded(sum + run(i, i + 64 < count ? i + 64 : count, term));
        }
        return sum;
      }
      case Order::reverse: {
        T sum = 0;
        for (std::int64_t i = count; i-- > 0;) sum = term(sum, i);
        return sum;
      }
      case Order::shuffled: {
        T sum = 0;
        std::int64_t stride = 7919;
        while (count > 1 && std::gcd(stride, count) != 1) ++stride;
        for (std::int64_t i = 0; i < count; ++i) sum = term(sum, (i * stride + 3) % count);
        return sum;
      }
      default: return run(0, count, term);
    }
  }

  template <class Term>
  [[nodiscard]] T run(std::int64_t begin, std::int64_t end, const Term& term) const {
    T sum = 0;
    for (std::int64_t i = begin; i < end; ++i) sum = term(sum, i);
    return sum;
  }
  template <class Term>
  [[nodiscard]] T tree(std::int64_t begin, std::int64_t end, const Term& term) const {
    if (end - begin <= 2) return run(begin, end, term);
    const std::int64_t middle = begin + (end - begin) / 2;
    return rounded(tree(begin, middle, term) + tree(middle, end, term));
  }
  template <std::size_t kLanes, class Term>
  [[nodiscard]] T lanes(std::int64_t count, const Term& term) const {
    std::array<T, kLanes> sums{};
    for (std::int64_t i = 0; i < count; ++i) {
      T& lane = sums[static_cast<std::size_t>(i) % kLanes];
      lane = term(lane, i);
    }
    for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
      for (std::size_t i = 0; i < width; ++i) sums[i] = rounded(sums[i] + sums[i + width]);
    }
    return sums[0];
  }
  template <class Term>
  [[nodiscard]] T compensated(std::int64_t count, const Term& term) const {
    T sum = 0;
    T lost = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const T value = term(T{0}, i) - lost;
      const T next = rounded(sum + value);
      lost = (next - sum) - value;
      sum = next;
    }
    return std::isfinite(sum) ? sum : run(0, count, term);
  }

  Order order_;
  Flaw flaw_;
};

}  // namespace warpmind::numerics
