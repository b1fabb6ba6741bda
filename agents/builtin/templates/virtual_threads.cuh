// The numbers of a thread of the kernel as it was before the rewrite.
struct wm_index {
  unsigned x, y, z;
};

// A loop that ends before it starts has no terms.
__device__ __forceinline__ unsigned wm_count(long long count) {
  return count > 0 ? static_cast<unsigned>(count) : 0u;
}

// Division of numbers below 2^31 by one that is known only at run time.
struct wm_divider {
  unsigned divisor, factor, shift;

  __device__ __forceinline__ explicit wm_divider(unsigned by) : divisor(by) {
    shift = by > 1u ? 32u - __clz(by - 1u) : 0u;
    const unsigned long long rest = (1ull << shift) - by;
    factor = static_cast<unsigned>((rest << 32u) / by + 1u);
  }
  __device__ __forceinline__ unsigned quotient(unsigned number) const {
    return (__umulhi(number, factor) + number) >> shift;
  }
};
