// Where rows can be moved in pieces of kCount elements.
template <int kCount, class T>
static __device__ __forceinline__ bool wm_is_aligned(const T* at) {
  constexpr int kBytes = sizeof(T) * kCount < 16 ? sizeof(T) * kCount : 16;
  return reinterpret_cast<size_t>(at) % kBytes == 0;
}
// Elements from `at` to the first one that a piece may start with.
template <int kCount, class T>
static __device__ __forceinline__ int wm_until_aligned(const T* at) {
  constexpr int kBytes = sizeof(T) * kCount < 16 ? sizeof(T) * kCount : 16;
  return static_cast<int>((kBytes - reinterpret_cast<size_t>(at) % kBytes) % kBytes / sizeof(T));
}
