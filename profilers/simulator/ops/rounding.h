#pragma once
/// \file
/// Roundings and the treatment of subnormal numbers and NaN that PTX asks for.

#include "profilers/simulator/ops/lanes.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace warpmind::simulator {

/// The first four have the values of MXCSR's rounding control and of VCVTPS2PH.
enum class Rounding : std::uint16_t {
  nearest_even = 0,
  down = 1,
  up = 2,
  zero = 3,
  nearest_away = 4,
};

/// Sets the processor's rounding for its lifetime. Arithmetic within must go through opaque() on
/// both sides: volatile assembler keeps its order, and so keeps the arithmetic inside.
class RoundingScope {
 public:
  explicit RoundingScope(Rounding rounding) : before_(_mm_getcsr()) {
    constexpr unsigned kControl = 3U << 13U;
    _mm_setcsr((before_ & ~kControl) | (static_cast<unsigned>(rounding) << 13U));
  }
  ~RoundingScope() { _mm_setcsr(before_); }
  RoundingScope(const RoundingScope&) = delete;
  RoundingScope& operator=(const RoundingScope&) = delete;

 private:
  unsigned before_;
};

/// The value, which the compiler must take as it comes, where it stands.
[[nodiscard]] inline float opaque(float value) {
  asm volatile("" : "+x"(value) : : "memory");
  return value;
}
[[nodiscard]] inline double opaque(double value) {
  asm volatile("" : "+x"(value) : : "memory");
  return value;
}
template <class T>
requires std::is_integral_v<T>
[[nodiscard]] inline T opaque(T value) {
  asm volatile("" : "+r"(value) : : "memory");
  return value;
}

template <class F, class D, class... S, std::size_t... I>
inline void apply_rounded_at(Warp& warp, const Instruction& in, Mask active,
                             std::index_sequence<I...> /*which*/) {
  const std::array<Slot, 4> slots = source_slots(in);
  alignas(64) D values[kLanes];
  {
    const RoundingScope scope(static_cast<Rounding>(in.option));
    for (int lane = 0; lane < kLanes; ++lane) {
      values[lane] = opaque(F::lane_result(opaque(lanes<const S>(warp, slots[I])[lane])...));
    }
  }
  store_lanes(lanes<D>(warp, in.d), values, active);
}

/// Handler like apply_lanes, in the rounding that Instruction::option names.
template <class F, class D, class... S>
void apply_rounded(Warp& warp, const Instruction& in, Mask active) {
  apply_rounded_at<F, D, S...>(warp, in, active, std::index_sequence_for<S...>());
}

/// NaN results of f32 instructions are this one (PTX ISA, 9.7.3).
inline constexpr std::uint32_t kCanonicalNan = 0x7fffffffU;

[[nodiscard]] inline float canonical(float value) {
  return value == value ? value : std::bit_cast<float>(kCanonicalNan);
}
/// f64 instructions keep payloads.
[[nodiscard]] inline double canonical(double value) { return value; }

/// Subnormal numbers to zero of the same sign: .ftz.
[[nodiscard]] inline float flush(float value) {
  return std::fabs(value) < std::numeric_limits<float>::min() ? std::copysign(0.0F, value) : value;
}
[[nodiscard]] inline double flush(double value) { return value; }

/// Clamped to [0, 1], NaN to 0: .sat.
template <class T>
[[nodiscard]] inline T saturate(T value) {
  const T low = value > T{0} ? value : T{0};  // NaN and -0 give +0
  return low < T{1} ? low : T{1};
}

/// F with .ftz and .sat about it.
template <class F, bool Flush, bool Saturate>
struct Rounded {
  template <class... S>
  static auto lane_result(S... sources) {
    auto result = Flush ? F::lane_result(flush(sources)...) : F::lane_result(sources...);
    if constexpr (Saturate) result = saturate(result);
    if constexpr (Flush) result = flush(result);
    return canonical(result);
  }
};

}  // namespace warpmind::simulator
