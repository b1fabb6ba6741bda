// Neighbouring elements that move with as few instructions as there are words of 16 bytes.
template <int bytes>
struct wm_word;
template <>
struct wm_word<2> {
  using type = unsigned short;
};
template <>
struct wm_word<4> {
  using type = unsigned int;
};
template <>
struct wm_word<8> {
  using type = uint2;
};
template <>
struct wm_word<16> {
  using type = uint4;
};

template <class T, int count>
struct wm_pack {
  static constexpr int kBytes = static_cast<int>(sizeof(T)) * count;
  using word = typename wm_word<(kBytes < 16 ? kBytes : 16)>::type;
  static constexpr int kWords = kBytes / static_cast<int>(sizeof(word));

  T at[count];

  // `from` and `to` must be aligned to a word.
  __device__ __forceinline__ void load(const T* from) {
    word words[kWords];
#pragma unroll
    for (int i = 0; i < kWords; ++i) words[i] = reinterpret_cast<const word*>(from)[i];
    memcpy(static_cast<void*>(at), words, kBytes);
  }
  __device__ __forceinline__ void store(T* to) const {
    word words[kWords];
    memcpy(words, static_cast<const void*>(at), kBytes);
#pragma unroll
    for (int i = 0; i < kWords; ++i) reinterpret_cast<word*>(to)[i] = words[i];
  }
};
