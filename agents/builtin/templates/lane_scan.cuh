// What stands before each term of a tile, and the tile's end as the next `carry`. Term `item` of
// lane l has the number item * kLanes + l. Groups of more than 32 lanes are the whole block; all
// lanes must take part.
template <class Combine, int kLanes, int kItems, class T>
static __device__ __forceinline__ void wm_scan_lanes(const T (&terms)[kItems], T (&before)[kItems],
                                                     T& carry) {
  constexpr int kWarps = kLanes / 32;
  constexpr int kTotals = kWarps * kItems;
  static_assert(kTotals <= 32, "one warp holds the totals");
  const int lane = threadIdx.x % 32u;
  const int warp = kWarps > 1 ? threadIdx.x / 32u : 0;
  T sums[kItems];
#pragma unroll
  for (int item = 0; item < kItems; ++item) {
    T sum = terms[item];
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const T other = __shfl_up_sync(0xffffffffu, sum, distance);
      if (lane >= distance) sum = Combine::of(other, sum);
    }
    sums[item] = sum;
    before[item] = __shfl_up_sync(0xffffffffu, sum, 1);
  }
  if constexpr (kWarps == 1) {
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      const T total = __shfl_sync(0xffffffffu, sums[item], 31);
      before[item] = lane == 0 ? carry : Combine::of(carry, before[item]);
      carry = Combine::of(carry, total);
    }
  } else {
    __shared__ T totals[kTotals];
    __syncthreads();  // those of the tile before this one have been read
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      if (lane == 31) totals[item * kWarps + warp] = sums[item];
    }
    __syncthreads();
    T total = totals[lane < kTotals ? lane : kTotals - 1];
#pragma unroll
    for (int distance = 1; distance < kTotals; distance *= 2) {
      const T other = __shfl_up_sync(0xffffffffu, total, distance);
      if (lane >= distance) total = Combine::of(other, total);
    }
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      const int at = item * kWarps + warp;
      const T front = __shfl_sync(0xffffffffu, total, at > 0 ? at - 1 : 0);
      const T start = at > 0 ? Combine::of(carry, front) : carry;
      before[item] = lane == 0 ? start : Combine::of(start, before[item]);
    }
    carry = Combine::of(carry, __shfl_sync(0xffffffffu, total, kTotals - 1));
  }
}
