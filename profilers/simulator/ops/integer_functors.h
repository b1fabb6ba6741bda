#pragma once
/// \file
/// Integer arithmetic of PTX on one lane. Wraps around where the machine does.

#include <cstdint>
#include <limits>
#include <type_traits>

namespace warpmind::simulator {

/// Unsigned and at least 32 bits wide, so that neither promotion nor overflow has surprises.
template <class T>
using Unsigned = std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>;

/// Twice as wide, of the same sign.
template <class T>
struct WiderOf;
template <>
struct WiderOf<std::uint16_t> {
  using Type = std::uint32_t;
};
template <>
struct WiderOf<std::int16_t> {
  using Type = std::int32_t;
};
template <>
struct WiderOf<std::uint32_t> {
  using Type = std::uint64_t;
};
template <>
struct WiderOf<std::int32_t> {
  using Type = std::int64_t;
};
template <>
struct WiderOf<std::uint64_t> {
  __extension__ using Type = unsigned __int128;
};
template <>
struct WiderOf<std::int64_t> {
  __extension__ using Type = __int128;
};
template <class T>
using Wider = typename WiderOf<T>::Type;

/// `value` clamped to the range of To.
template <class To, class From>
[[nodiscard]] constexpr To clamp_to(From value) {
  // NOLINTBEGIN(bugprone-signed-char-misuse): numbers, to be sign-extended
  constexpr From kLeast = static_cast<From>(std::numeric_limits<To>::min());
  constexpr From kMost = static_cast<From>(std::numeric_limits<To>::max());
  // NOLINTEND(bugprone-signed-char-misuse)
  if (value < kLeast) return std::numeric_limits<To>::min();
  return value > kMost ? std::numeric_limits<To>::max() : static_cast<To>(value);
}

struct AddInteger {
  template <class T>
  static T lane_result(T a, T b) {
    return static_cast<T>(static_cast<Unsigned<T>>(a) + static_cast<Unsigned<T>>(b));
  }
};
struct SubtractInteger {
  template <class T>
  static T lane_result(T a, T b) {
    return static_cast<T>(static_cast<Unsigned<T>>(a) - static_cast<Unsigned<T>>(b));
  }
};
struct MultiplyLow {
  template <class T>
  static T lane_result(T a, T b) {
    return static_cast<T>(static_cast<Unsigned<T>>(a) * static_cast<Unsigned<T>>(b));
  }
};
struct MultiplyHigh {
  template <class T>
  static T lane_result(T a, T b) {
    return static_cast<T>((static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b)) >> (8 * sizeof(T)));
  }
};
struct MultiplyWide {
  template <class T>
  static Wider<T> lane_result(T a, T b) {
    return static_cast<Wider<T>>(static_cast<Wider<T>>(a) * static_cast<Wider<T>>(b));
  }
};
/// Multiply, then add c: of the product's type.
template <class Multiply>
struct MultiplyAdd {
  template <class T, class C>
  static C lane_result(T a, T b, C c) {
    return AddInteger::lane_result(static_cast<C>(Multiply::lane_result(a, b)), c);
  }
};

struct DivideInteger {
  template <class T>
  static T lane_result(T a, T b) {
    if (b == 0) return static_cast<T>(-1);  // the machine's choice
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return SubtractInteger::lane_result(T{0}, a);
    }
    return static_cast<T>(a / b);
  }
};
struct RemainderInteger {
  template <class T>
  static T lane_result(T a, T b) {
    if (b == 0) return a;
    if constexpr (std::is_signed_v<T>) {
      if (b == -1) return 0;
    }
    return static_cast<T>(a % b);
  }
};

struct NegateInteger {
  template <class T>
  static T lane_result(T a) {
    return SubtractInteger::lane_result(T{0}, a);
  }
};
struct AbsoluteInteger {
  template <class T>
  static T lane_result(T a) {
    return a < 0 ? SubtractInteger::lane_result(T{0}, a) : a;
  }
};
struct MinimumInteger {
  template <class T>
  static T lane_result(T a, T b) {
    return a < b ? a : b;
  }
};
struct MaximumInteger {
  template <class T>
  static T lane_result(T a, T b) {
    return a > b ? a : b;
  }
};
/// max(F, 0): .relu of signed minimum and maximum.
template <class F>
struct ReluInteger {
  template <class T>
  static T lane_result(T a, T b) {
    const T result = F::lane_result(a, b);
    return result < 0 ? T{0} : result;
  }
};
struct AbsoluteDifference {
  template <class T>
  static T lane_result(T a, T b) {
    return a < b ? SubtractInteger::lane_result(b, a) : SubtractInteger::lane_result(a, b);
  }
};
struct SumOfAbsoluteDifference {
  template <class T>
  static T lane_result(T a, T b, T c) {
    return AddInteger::lane_result(c, AbsoluteDifference::lane_result(a, b));
  }
};

/// Both 16-bit halves of a word, as T.
template <class F, class T>
struct Halves {
  static std::uint32_t lane_result(std::uint32_t a, std::uint32_t b) {
    const auto half = [&](unsigned shift) {
      const T result = F::lane_result(static_cast<T>(a >> shift), static_cast<T>(b >> shift));
      return static_cast<std::uint32_t>(static_cast<std::uint16_t>(result)) << shift;
    };
    return half(0) | half(16);
  }
};

}  // namespace warpmind::simulator
