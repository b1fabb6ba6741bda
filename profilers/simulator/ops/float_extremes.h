#pragma once
/// \file
/// Minimum and maximum of floating-point numbers. A number wins over NaN; +0 is above -0.

#include <cmath>
#include <limits>

namespace warpmind::simulator {

struct MinimumReal {
  template <class T>
  static T lane_result(T a, T b) {
    const bool takes_a = (a < b) | (b != b) | ((a == b) & std::signbit(a));
    return takes_a ? a : b;
  }
};
struct MaximumReal {
  template <class T>
  static T lane_result(T a, T b) {
    const bool takes_a = (a > b) | (b != b) | ((a == b) & !std::signbit(a));
    return takes_a ? a : b;
  }
};
/// .NaN: NaN wins.
template <class F>
struct KeepNan {
  template <class T>
  static T lane_result(T a, T b) {
    return (a != a) | (b != b) ? std::numeric_limits<T>::quiet_NaN() : F::lane_result(a, b);
  }
};
/// .xorsign.abs: of the magnitudes, with the product's sign.
template <class F>
struct XorSign {
  template <class T>
  static T lane_result(T a, T b) {
    const T size = F::lane_result(std::fabs(a), std::fabs(b));
    return std::signbit(a) != std::signbit(b) ? -size : size;
  }
};

}  // namespace warpmind::simulator
