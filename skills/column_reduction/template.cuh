// Neighbouring threads take neighbouring rows, wm_beside of them each where memory has them side by
// side. The 32 lanes of a warp take one term of all of their rows at a time; the warps of a block
// and the blocks of a tile of rows share the terms. Where a tile has several blocks, a second
// launch combines what they leave, in a fixed order.

// Room for a state that shared memory does not construct.
template <class state>
struct wm_column_reduction_slot {
  unsigned at[sizeof(state) / 4];
};

template <class state>
static __device__ __forceinline__ state
wm_column_reduction_state_in(const wm_column_reduction_slot<state>& slot) {
  state value;
  memcpy(&value, slot.at, sizeof(state));
  return value;
}
// Terms that thread y of `lanes` takes, of kNext rows that lie side by side.
template <int kItems, class Problem, class index, class state, int kNext>
static __device__ __forceinline__ void wm_column_reduction_take_beside(const Problem& problem,
                                                                       index row, index at,
                                                                       index lanes,
                                                                       state (&sums)[kNext]) {
  const index length = problem.wm_length(row);
  for (; at < length && length - at > (kItems - 1) * lanes; at += kItems * lanes) {
    typename Problem::wm_piece_beside beside[kItems];
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      problem.wm_load_beside(row, at + item * lanes, beside[item]);
    }
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      problem.wm_fold_beside(row, at + item * lanes, beside[item], sums);
    }
  }
  while (at < length) {
    typename Problem::wm_piece_beside beside;
    problem.wm_load_beside(row, at, beside);
    problem.wm_fold_beside(row, at, beside, sums);
    if (length - at <= lanes) break;
    at += lanes;
  }
}

template <int kItems, class Problem, class index, class state>
static __device__ __forceinline__ void wm_column_reduction_take(const Problem& problem, index row,
                                                                index at, index lanes, state& sum) {
  const index length = problem.wm_length(row);
  for (; at < length && length - at > (kItems - 1) * lanes; at += kItems * lanes) {
#pragma unroll
    for (int item = 0; item < kItems; ++item) problem.wm_fold(row, at + item * lanes, sum);
  }
  while (at < length) {
    problem.wm_fold(row, at, sum);
    if (length - at <= lanes) break;
    at += lanes;
  }
}

template <class Problem, int kThreads, int kItems>
static __device__ __forceinline__ void wm_column_reduction(const Problem& problem, unsigned* states,
                                                           unsigned parts, unsigned tiles) {
  using state = typename Problem::wm_state;
  using index = typename Problem::wm_index;
  constexpr int kBeside = Problem::wm_beside;
  constexpr int kRows = 32 * kBeside;  // of a tile
  constexpr int kAlong = kThreads / 32;
  const index rows = problem.wm_rows();
  const unsigned tile = blockIdx.x % tiles;
  const unsigned part = blockIdx.x / tiles;
  const unsigned lane = threadIdx.x % 32u;
  const unsigned warp = threadIdx.x / 32u;
  const index first = static_cast<index>(tile) * kRows;
  const index at = part * kAlong + warp;
  const index lanes = parts * kAlong;
  state sums[kBeside];
#pragma unroll
  for (int i = 0; i < kBeside; ++i) sums[i] = Problem::wm_identity();
  bool is_beside = false;
  if constexpr (kBeside > 1) {
    // The whole tile in one way, as its warps combine their rows.
    const index own = first + lane * kBeside;
    const bool fits = own >= rows || (rows - own >= kBeside && problem.wm_is_beside(own));
    is_beside = __syncthreads_and(fits);
    if (is_beside && own < rows)
      wm_column_reduction_take_beside<kItems>(problem, own, at, lanes, sums);
  }
  if (!is_beside) {
#pragma unroll
    for (int i = 0; i < kBeside; ++i) {
      const index row = first + lane + i * 32;
      if (row < rows) wm_column_reduction_take<kItems>(problem, row, at, lanes, sums[i]);
    }
  }
  __shared__ wm_column_reduction_slot<state> shared[kAlong][kRows];
#pragma unroll
  for (int i = 0; i < kBeside; ++i) {
    const unsigned place = is_beside ? lane * kBeside + i : lane + i * 32;
    memcpy(shared[warp][place].at, &sums[i], sizeof(state));
  }
  __syncthreads();
  for (unsigned place = threadIdx.x; place < kRows; place += kThreads) {
    state sum = wm_column_reduction_state_in<state>(shared[0][place]);
#pragma unroll
    for (int i = 1; i < kAlong; ++i) {
      sum = Problem::wm_combine(sum, wm_column_reduction_state_in<state>(shared[i][place]));
    }
    const index row = first + place;
    if (parts > 1) {
      reinterpret_cast<state*>(states)[(static_cast<size_t>(part) * tiles + tile) * kRows + place] =
          sum;
    } else if (row < rows) {
      problem.wm_finish(row, sum);
    }
  }
}

// 32 rows a block, whose warps share the parts.
template <class Problem, int kThreads>
static __device__ __forceinline__ void wm_column_reduction_total(const Problem& problem,
                                                                 unsigned* states, unsigned parts,
                                                                 unsigned tiles) {
  using state = typename Problem::wm_state;
  using index = typename Problem::wm_index;
  constexpr int kWarps = kThreads / 32;
  if (parts == 1) return;
  const size_t across = static_cast<size_t>(tiles) * 32 * Problem::wm_beside;
  const size_t row = static_cast<size_t>(blockIdx.x) * 32 + threadIdx.x % 32u;
  const unsigned warp = threadIdx.x / 32u;
  const state* own = reinterpret_cast<const state*>(states) + row;
  state sum = Problem::wm_identity();
#pragma unroll 4
  for (unsigned part = warp; part < parts; part += kWarps) {
    sum = Problem::wm_combine(sum, own[part * across]);
  }
  __shared__ wm_column_reduction_slot<state> shared[kWarps][32];
  memcpy(shared[warp][threadIdx.x % 32u].at, &sum, sizeof(state));
  __syncthreads();
  if (warp != 0) return;
#pragma unroll
  for (int i = 1; i < kWarps; ++i) {
    sum = Problem::wm_combine(sum, wm_column_reduction_state_in<state>(shared[i][threadIdx.x]));
  }
  if (row < problem.wm_rows()) problem.wm_finish(static_cast<index>(row), sum);
}
