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

// The tile of a block: those with neighbouring numbers lie in a band of eight rows of tiles, so
// that they find each other's operands in the cache.
struct wm_tile_place {
  unsigned row, column;

  __device__ __forceinline__ wm_tile_place(unsigned tile, unsigned down, unsigned across) {
    constexpr unsigned kBand = 8;
    const unsigned first = tile / (kBand * across) * kBand;
    const unsigned high = min(kBand, down - first);
    const unsigned in_band = tile - first * across;
    row = first + in_band % high;
    column = in_band / high;
  }
};
