// Products of matrices in single precision (skill simt_gemm): tiles arrive beside the arithmetic, a
// thread keeps eight by eight sums.

__device__ __forceinline__ unsigned wm_simt_address(const void* at) {
  return static_cast<unsigned>(__cvta_generic_to_shared(at));
}

// ---- An operand: where it lies, found by asking the problem, and its tiles in shared memory.
template <int kExtent, int kDepth, bool kAlongDepth, int kThreads>
struct wm_simt_operand {
  static constexpr int kPlaces = kExtent / 8;  // threads along this side
  static constexpr int kLines = kAlongDepth ? kExtent : kDepth;
  static constexpr int kLineFloats = kAlongDepth ? kDepth : kExtent;
  static constexpr int kPitch = kLineFloats + 4;  // eight lines have a unit each in other banks
  static constexpr int kFloats = kLines * kPitch;
  static constexpr int kUnits = kLineFloats / 4;

  const float* origin;
  long long line_stride;  // in floats; those of a line lie side by side
  bool is_even;           // all that holds, and units of sixteen bytes are aligned

  template <class Source>
  __device__ __forceinline__ void find(const Source& source, bool is_linear, unsigned rows,
                                       unsigned depth) {
    is_even = is_linear && rows > 0u && depth > 0u;
    line_stride = 0;
    origin = nullptr;
    if (!is_even) return;
    const unsigned across = kAlongDepth ? depth : rows;
    const unsigned down = kAlongDepth ? rows : depth;
    const auto at = [&](unsigned line, unsigned place) {
      return kAlongDepth ? source(line, place) : source(place, line);
    };
    origin = at(0u, 0u);
    line_stride = down > 1u ? at(1u, 0u) - origin : 0ll;
    is_even = origin != nullptr && (across == 1u || at(0u, 1u) == origin + 1) &&
              at(0u, across - 1u) == origin + (across - 1u) &&
              at(down - 1u, across - 1u) == origin + (down - 1u) * line_stride + (across - 1u) &&
              at(down - 1u, 0u) == origin + (down - 1u) * line_stride && line_stride % 4 == 0 &&
              (reinterpret_cast<size_t>(origin) & 15u) == 0;
  }

  template <class Source>
  __device__ __forceinline__ void copy(const Source& source, float* tile, unsigned first,
                                       unsigned rows, unsigned from, unsigned depth) const {
    const unsigned lines = kAlongDepth ? rows : depth;
    const unsigned across = kAlongDepth ? depth : rows;
    const unsigned first_line = kAlongDepth ? first : from;
    const unsigned first_place = kAlongDepth ? from : first;
    if (is_even && first_place + kLineFloats <= across) {
#pragma unroll
      for (int i = 0; i < kLines * kUnits / kThreads; ++i) {
        const unsigned number = i * kThreads + threadIdx.x;
        const unsigned line = number / kUnits;
        const unsigned unit = number % kUnits;
        const bool is_there = first_line + line < lines;
        const float* const here =
            origin + (is_there ? (first_line + line) * line_stride + first_place + unit * 4u : 0ll);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(
                         wm_simt_address(tile + line * kPitch + unit * 4u)),
                     "l"(here), "r"(is_there ? 16u : 0u)
                     : "memory");
      }
      return;
    }
#pragma unroll 1
    for (unsigned number = threadIdx.x; number < kLines * kLineFloats; number += kThreads) {
      const unsigned line = number / kLineFloats;
      const unsigned place = number % kLineFloats;
      float value = 0.0f;
      if (first_line + line < lines && first_place + place < across) {
        const float* const here = kAlongDepth ? source(first_line + line, first_place + place)
                                              : source(first_place + place, first_line + line);
        if (here != nullptr) value = *here;
      }
      tile[line * kPitch + place] = value;
    }
  }

  // Row (column) number `i` of eight of the thread whose number along this side is `mine`.
  static __device__ __forceinline__ unsigned row_of(int i, unsigned mine) {
    return kAlongDepth ? i * kPlaces + mine
                       : i / 4 * (kPlaces * 4) + mine * 4u + i % 4;
  }
  // Its eight rows of four terms from `k` on.
  static __device__ __forceinline__ void take(float (&to)[8][4], const float* tile, unsigned mine,
                                              unsigned k) {
    if constexpr (kAlongDepth) {
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const float4 four =
            *reinterpret_cast<const float4*>(tile + row_of(i, mine) * kPitch + k);
        to[i][0] = four.x;
        to[i][1] = four.y;
        to[i][2] = four.z;
        to[i][3] = four.w;
      }
    } else {
#pragma unroll
      for (int e = 0; e < 4; ++e) {
#pragma unroll
        for (int i = 0; i < 8; i += 4) {
          const float4 four = *reinterpret_cast<const float4*>(
              tile + (k + e) * kPitch + row_of(i, mine));
          to[i][e] = four.x;
          to[i + 1][e] = four.y;
          to[i + 2][e] = four.z;
          to[i + 3][e] = four.w;
        }
      }
    }
  }
};

template <class Element>
struct wm_simt_output {
  Element* at;
  Element value;
};

// Whether four neighbouring columns of a thread can be written at once.
template <class Problem>
__device__ constexpr bool wm_simt_has_fours() {
  if constexpr (Problem::is_wide) {
    return !Problem::right_along_depth && sizeof(typename Problem::output) == 4;
  }
  return false;
}

// kParts groups of threads sum parts of each tile of terms and are added at the end, in order.
template <class Problem, int kRows, int kColumns, int kDepth, int kParts, int kStages>
__device__ void wm_simt_gemm(const Problem& problem) {
  constexpr int kDown = kRows / 8;
  constexpr int kAcross = kColumns / 8;
  constexpr int kPartThreads = kDown * kAcross;
  constexpr int kThreads = kPartThreads * kParts;
  using Left = wm_simt_operand<kRows, kDepth, Problem::left_along_depth, kThreads>;
  using Right = wm_simt_operand<kColumns, kDepth, Problem::right_along_depth, kThreads>;
  constexpr int kStageFloats = Left::kFloats + Right::kFloats;
  extern __shared__ float4 wm_simt_memory[];
  float* const memory = reinterpret_cast<float*>(wm_simt_memory);

  const unsigned rows = problem.rows();
  const unsigned columns = problem.columns();
  const unsigned depth = problem.depth();
  const unsigned down_tiles = (rows + kRows - 1u) / kRows;
  const unsigned across_tiles = (columns + kColumns - 1u) / kColumns;
  const unsigned batch = blockIdx.x / (down_tiles * across_tiles);
  const unsigned tile = blockIdx.x % (down_tiles * across_tiles);
  constexpr unsigned kBand = 8;
  const unsigned band_first = tile / (kBand * across_tiles) * kBand;
  const unsigned high = min(kBand, down_tiles - band_first);
  const unsigned in_band = tile - band_first * across_tiles;
  const unsigned first_row = (band_first + in_band % high) * kRows;
  const unsigned first_column = in_band / high * kColumns;

  const auto left_source = [&](unsigned r, unsigned k) { return problem.left(batch, r, k); };
  const auto right_source = [&](unsigned c, unsigned k) { return problem.right(batch, c, k); };
  Left left;
  Right right;
  left.find(left_source, Problem::is_left_even, rows, depth);
  right.find(right_source, Problem::is_right_even, columns, depth);

  const unsigned part = threadIdx.x / kPartThreads;
  const unsigned mine = threadIdx.x % kPartThreads;
  // A warp covers four by eight places.
  const unsigned warp = mine / 32u, lane = mine % 32u;
  constexpr unsigned kWarpsAcross = kAcross / 8;
  const unsigned down = warp / kWarpsAcross * 4u + lane / 8u;
  const unsigned across = warp % kWarpsAcross * 8u + lane % 8u;

  float sums[8][8];
#pragma unroll
  for (int i = 0; i < 8; ++i) {
#pragma unroll
    for (int j = 0; j < 8; ++j) sums[i][j] = 0.0f;
  }
  const auto copy = [&](unsigned stage, unsigned from) {
    if (from < depth) {
      float* const to = memory + stage * kStageFloats;
      left.copy(left_source, to, first_row, rows, from, depth);
      right.copy(right_source, to + Left::kFloats, first_column, columns, from, depth);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");  // an empty group keeps the count right
  };
#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) copy(s, s * kDepth);
  unsigned now = 0;
  unsigned next = kStages - 1;
  for (unsigned from = 0; from < depth; from += kDepth) {
    asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
    __syncthreads();
    copy(next, from + (kStages - 1) * kDepth);
    const float* const left_tile = memory + now * kStageFloats;
    const float* const right_tile = left_tile + Left::kFloats;
    constexpr int kTerms = kDepth / kParts;
#pragma unroll
    for (int k = 0; k < kTerms; k += 4) {
      float lefts[8][4];
      float rights[8][4];
      Left::take(lefts, left_tile, down, part * kTerms + k);
      Right::take(rights, right_tile, across, part * kTerms + k);
#pragma unroll
      for (int e = 0; e < 4; ++e) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
#pragma unroll
          for (int j = 0; j < 8; ++j) sums[i][j] = fmaf(lefts[i][e], rights[j][e], sums[i][j]);
        }
      }
    }
    now = now + 1 == kStages ? 0u : now + 1;
    next = next + 1 == kStages ? 0u : next + 1;
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
#pragma unroll 1
  for (unsigned p = 1; p < kParts; ++p) {
    __syncthreads();
    if (part == p) {
#pragma unroll
      for (int i = 0; i < 64; ++i) memory[i * kPartThreads + mine] = sums[i / 8][i % 8];
    }
    __syncthreads();
    if (part == 0u) {
#pragma unroll
      for (int i = 0; i < 64; ++i) sums[i / 8][i % 8] += memory[i * kPartThreads + mine];
    }
  }
  if (part != 0u) return;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    const unsigned row = first_row + Left::row_of(i, down);
    if (row >= rows) continue;
#pragma unroll
    for (int j = 0; j < 8; j += 4) {
      if constexpr (wm_simt_has_fours<Problem>()) {
        wm_simt_output<typename Problem::output> outputs[4];
        bool together = true;
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const unsigned column = first_column + Right::row_of(j + e, across);
          outputs[e].at = nullptr;
          if (column < columns) problem.finish(batch, row, column, sums[i][j + e], outputs[e]);
          together = together && outputs[e].at == outputs[0].at + e;
        }
        if (together && outputs[0].at != nullptr &&
            (reinterpret_cast<size_t>(outputs[0].at) & 15u) == 0) {
          float4 four;
          memcpy(&four.x, &outputs[0].value, 4);
          memcpy(&four.y, &outputs[1].value, 4);
          memcpy(&four.z, &outputs[2].value, 4);
          memcpy(&four.w, &outputs[3].value, 4);
          *reinterpret_cast<float4*>(outputs[0].at) = four;
        } else {
#pragma unroll
          for (int e = 0; e < 4; ++e) {
            if (outputs[e].at != nullptr) *outputs[e].at = outputs[e].value;
          }
        }
      } else {
#pragma unroll
        for (int e = 0; e < 4; ++e) {
          const unsigned column = first_column + Right::row_of(j + e, across);
          if (column < columns) problem.finish(batch, row, column, sums[i][j + e]);
        }
      }
    }
  }
}
