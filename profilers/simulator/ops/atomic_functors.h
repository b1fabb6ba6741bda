#pragma once
/// \file
/// What atom and red do to one element: the new value from the old one and the operands.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <immintrin.h>
#include <type_traits>

namespace warpmind::simulator::atomics {

/// Values of 16 bits that are numbers, and pairs of them.
struct HalfNumber {
  std::uint16_t bits = 0;
};
struct BrainNumber {
  std::uint16_t bits = 0;
};
template <class Number>
struct PairOf {
  Number low;
  Number high;
};

inline float widen(HalfNumber value) { return _cvtsh_ss(value.bits); }
inline float widen(BrainNumber value) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(value.bits) << 16U);
}
inline void narrow(float value, HalfNumber& out) {
  out.bits = _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
}
inline void narrow(float value, BrainNumber& out) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t rounded = (bits + 0x7fffU + ((bits >> 16U) & 1U)) >> 16U;
  out.bits = static_cast<std::uint16_t>(std::isnan(value) ? 0x7fffU : rounded);
}

template <class T>
inline constexpr bool kIsPair = false;
template <class Number>
inline constexpr bool kIsPair<PairOf<Number>> = true;

/// Applies `op` to a number through float: exact before the one rounding of a sum (24 bits are
/// enough for two of 11).
template <class T, class Op>
inline T through_float(T a, T b, Op op) {
  if constexpr (kIsPair<T>) {
    return {through_float(a.low, b.low, op), through_float(a.high, b.high, op)};
  } else {
    T out;
    narrow(op(widen(a), widen(b)), out);
    return out;
  }
}

struct Add {
  template <class T>
  static T apply(T old, T b, T /*c*/) {
    if constexpr (std::is_signed_v<T> && std::is_integral_v<T>) {
      using U = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
    } else if constexpr (std::is_arithmetic_v<T>) {
      return old + b;
    } else {
      return through_float(old, b, [](float x, float y) { return x + y; });
    }
  }
};

struct Minimum {
  template <class T>
  static T apply(T old, T b, T /*c*/) {
    if constexpr (std::is_integral_v<T>) {
      return std::min(old, b);
    } else if constexpr (std::is_arithmetic_v<T>) {
      return std::fmin(old, b);
    } else {
      return through_float(old, b, [](float x, float y) { return std::fmin(x, y); });
    }
  }
};
struct Maximum {
  template <class T>
  static T apply(T old, T b, T /*c*/) {
    if constexpr (std::is_integral_v<T>) {
      return std::max(old, b);
    } else if constexpr (std::is_arithmetic_v<T>) {
      return std::fmax(old, b);
    } else {
      return through_float(old, b, [](float x, float y) { return std::fmax(x, y); });
    }
  }
};

struct And {
  template <class T>
  static T apply(T old, T b, T /*c*/) {
    return old & b;
  }
};
struct Or {
  template <class T>
  static T apply(T old, T b, T /*c*/) {
    return old | b;
  }
};
struct Xor {
  template <class T>
  static T apply(T old, T b, T /*c*/) {
    return old ^ b;
  }
};
struct Exchange {
  template <class T>
  static T apply(T /*old*/, T b, T /*c*/) {
    return b;
  }
};
struct CompareAndSwap {
  template <class T>
  static T apply(T old, T b, T c) {
    return old == b ? c : old;
  }
};
struct Increment {
  template <class T>
  static T apply(T old, T b, T /*c*/) {
    return old >= b ? 0 : old + 1;
  }
};
struct Decrement {
  template <class T>
  static T apply(T old, T b, T /*c*/) {
    return old == 0 || old > b ? b : old - 1;
  }
};

}  // namespace warpmind::simulator::atomics
