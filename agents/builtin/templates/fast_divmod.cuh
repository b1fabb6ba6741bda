// Division by a number that is the same for the whole launch: it comes with its reciprocal.
struct wm_reciprocal {
  unsigned divisor, factor, power;
};

// number / by. Divisors that the reciprocal is not of, and numbers outside of 31 bits, take the slow
// way.
template <class Number, class Divisor>
__device__ __forceinline__ auto wm_quotient(Number number, Divisor by, wm_reciprocal known) {
  using Result = decltype(number / by);
  const Result wide = static_cast<Result>(number);
  if (static_cast<Result>(by) != static_cast<Result>(known.divisor) || (wide >> 31) != 0) {
    return static_cast<Result>(wide / static_cast<Result>(by));
  }
  const unsigned small = static_cast<unsigned>(wide);
  const unsigned sum = __umulhi(small, known.factor) + small;
  return static_cast<Result>(sum >> (31 - __clz(static_cast<int>(known.power))));
}

// number % by.
template <class Number, class Divisor>
__device__ __forceinline__ auto wm_remainder(Number number, Divisor by, wm_reciprocal known) {
  using Result = decltype(number % by);
  const Result part = wm_quotient(number, by, known) * static_cast<Result>(by);
  return static_cast<Result>(static_cast<Result>(number) - part);
}
