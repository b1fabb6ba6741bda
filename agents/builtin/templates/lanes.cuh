// Combining one value of each lane of a group.
struct wm_sum_of {
  template <class T>
  static __device__ __forceinline__ T of(T a, T b) { return a + b; }
};
struct wm_product_of {
  template <class T>
  static __device__ __forceinline__ T of(T a, T b) { return a * b; }
};
struct wm_maximum_of {
  static __device__ __forceinline__ float of(float a, float b) { return fmaxf(a, b); }
  static __device__ __forceinline__ double of(double a, double b) { return fmax(a, b); }
  template <class T>
  static __device__ __forceinline__ T of(T a, T b) { return a > b ? a : b; }
};
struct wm_minimum_of {
  static __device__ __forceinline__ float of(float a, float b) { return fminf(a, b); }
  static __device__ __forceinline__ double of(double a, double b) { return fmin(a, b); }
  template <class T>
  static __device__ __forceinline__ T of(T a, T b) { return a < b ? a : b; }
};
struct wm_bit_and_of {
  template <class T>
  static __device__ __forceinline__ T of(T a, T b) { return a & b; }
};
struct wm_bit_or_of {
  template <class T>
  static __device__ __forceinline__ T of(T a, T b) { return a | b; }
};
struct wm_bit_xor_of {
  template <class T>
  static __device__ __forceinline__ T of(T a, T b) { return a ^ b; }
};

// The lanes of this thread's warp that belong to its group of kLanes (a power of two).
template <int kLanes>
static __device__ __forceinline__ unsigned wm_lane_mask() {
  if constexpr (kLanes >= 32) {
    return 0xffffffffu;
  } else {
    return ((1u << kLanes) - 1u) << (threadIdx.x % 32u / kLanes * kLanes);
  }
}

// Orders the memory accesses of a group; a group of more than 32 lanes is the whole block.
template <int kLanes>
static __device__ __forceinline__ void wm_lane_barrier() {
  if constexpr (kLanes > 32) {
    __syncthreads();
  } else {
    __syncwarp(wm_lane_mask<kLanes>());
  }
}

// Every lane gets the same value. All lanes of the group must take part; a group of more than 32
// lanes is the whole block.
template <class Combine, int kLanes, class T>
static __device__ __forceinline__ T wm_combine_lanes(T value) {
#pragma unroll
  for (int distance = (kLanes < 32 ? kLanes : 32) / 2; distance > 0; distance /= 2) {
    value = Combine::of(value, __shfl_xor_sync(wm_lane_mask<kLanes>(), value, distance));
  }
  if constexpr (kLanes > 32) {
    __shared__ T partial[kLanes / 32];
    __syncthreads();  // those of the use before this one have been read
    if (threadIdx.x % 32u == 0) partial[threadIdx.x / 32u] = value;
    __syncthreads();
    value = partial[0];
#pragma unroll
    for (int warp = 1; warp < kLanes / 32; ++warp) value = Combine::of(value, partial[warp]);
  }
  return value;
}
