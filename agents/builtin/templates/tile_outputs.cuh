// What becomes of the sums of a tile: the tail of the kernel as it was, output by output.
#include <string.h>

// Where the tail of one output writes, and what; a null pointer: nowhere.
template <class Element>
struct wm_output {
  Element* at;
  Element value;
};

// Written out, since the compiler would rather store element by element through the addresses that
// it has compared.
__device__ __forceinline__ void wm_store_words(void* at, const unsigned (&words)[4]) {
  asm volatile("st.v4.b32 [%0], {%1, %2, %3, %4};" ::"l"(at), "r"(words[0]), "r"(words[1]),
               "r"(words[2]), "r"(words[3])
               : "memory");
}
__device__ __forceinline__ void wm_store_words(void* at, const unsigned (&words)[2]) {
  asm volatile("st.v2.b32 [%0], {%1, %2};" ::"l"(at), "r"(words[0]), "r"(words[1]) : "memory");
}
__device__ __forceinline__ void wm_store_words(void* at, const unsigned (&words)[1]) {
  asm volatile("st.b32 [%0], %1;" ::"l"(at), "r"(words[0]) : "memory");
}

// finish(row, column, sum, output) names the output. Neighbours that lie side by side in memory are
// written sixteen bytes at a time.
template <class Element, class Finish>
struct wm_wide_outputs {
  using Value = Element;
  static constexpr int kWide = 16 / static_cast<int>(sizeof(Element));
  const Finish& finish;

  // kCount columns from `column` on.
  template <int kCount = kWide>
  __device__ __forceinline__ void put(unsigned row, unsigned rows, unsigned column, unsigned columns,
                                      const float* sums) const {
    constexpr int kWords = kCount * static_cast<int>(sizeof(Element)) / 4;
    if (row >= rows || column >= columns) return;
    wm_output<Element> outputs[kCount];
    bool together = true;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      outputs[i].at = nullptr;
      if (column + i < columns) finish(row, column + i, sums[i], outputs[i]);
      together = together && outputs[i].at == outputs[0].at + i;
    }
    if (together && outputs[0].at != nullptr &&
        (reinterpret_cast<size_t>(outputs[0].at) & (4 * kWords - 1)) == 0) {
      Element values[kCount];
      unsigned words[kWords];
#pragma unroll
      for (int i = 0; i < kCount; ++i) values[i] = outputs[i].value;
      memcpy(words, values, sizeof(words));
      wm_store_words(outputs[0].at, words);
      return;
    }
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (outputs[i].at != nullptr) *outputs[i].at = outputs[i].value;
    }
  }
};

// As above, where each output is written and lies at a number of the row plus one of the column.
template <class Element, class Finish>
struct wm_placed_outputs : wm_wide_outputs<Element, Finish> {
  // Null where there is no such output.
  __device__ __forceinline__ Element* place(unsigned row, unsigned column) const {
    wm_output<Element> output;
    output.at = nullptr;
    this->finish(row, column, 0.0f, output);
    return output.at;
  }
  __device__ __forceinline__ Element value(unsigned row, unsigned column, float sum) const {
    wm_output<Element> output;
    output.value = static_cast<Element>(0.0f);
    this->finish(row, column, sum, output);
    return output.value;
  }
};

// finish(row, column, sum) writes on its own.
template <class Finish>
struct wm_single_outputs {
  using Value = float;
  static constexpr int kWide = 1;
  const Finish& finish;

  template <int kCount = kWide>
  __device__ __forceinline__ void put(unsigned row, unsigned rows, unsigned column, unsigned columns,
                                      const float* sums) const {
    if (row < rows && column < columns) finish(row, column, sums[0]);
  }
};

template <class Element, class Finish>
__device__ __forceinline__ wm_wide_outputs<Element, Finish> wm_wide_tail(const Finish& finish) {
  return {finish};
}
template <class Element, class Finish>
__device__ __forceinline__ wm_placed_outputs<Element, Finish> wm_placed_tail(const Finish& finish) {
  return {{finish}};
}
template <class Finish>
__device__ __forceinline__ wm_single_outputs<Finish> wm_single_tail(const Finish& finish) {
  return {finish};
}

// A strip of kRows rows and kColumns columns of sums in shared memory, by one warp. It is aligned
// to sixteen bytes, and so is each row of `pitch` floats.
template <int kRows, int kColumns, class Outputs>
__device__ __forceinline__ void wm_put_strip(const Outputs& outputs, const float* strip, int pitch,
                                             unsigned first_row, unsigned rows,
                                             unsigned first_column, unsigned columns) {
  constexpr int kAcross = kColumns / Outputs::kWide;
  const int lane = static_cast<int>(threadIdx.x) % 32;
#pragma unroll 2
  for (int piece = lane; piece < kRows * kAcross; piece += 32) {
    const int down = piece / kAcross;
    const int across = piece % kAcross * Outputs::kWide;
    float sums[Outputs::kWide];
    const float* const from = strip + down * pitch + across;
    if constexpr (Outputs::kWide % 4 == 0) {
#pragma unroll
      for (int i = 0; i < Outputs::kWide; i += 4) {
        const float4 four = *reinterpret_cast<const float4*>(from + i);
        sums[i] = four.x;
        sums[i + 1] = four.y;
        sums[i + 2] = four.z;
        sums[i + 3] = four.w;
      }
    } else {
      sums[0] = from[0];
    }
    outputs.put(first_row + static_cast<unsigned>(down), rows,
                first_column + static_cast<unsigned>(across), columns, sums);
  }
}
