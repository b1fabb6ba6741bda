// Neighbouring threads take neighbouring rows, kNext of them each where memory has them side by
// side; the 32 lanes of a warp take one term of all of their rows at a time, the warps of a block and
// the blocks of a tile share the terms. The block of a tile that ends last combines the parts in a
// fixed order.

// A state that moves as words of 32 bits.
template <class state>
struct wm_column_reduction_words {
  static constexpr int kCount = static_cast<int>(sizeof(state) / 4);
  unsigned at[kCount];
};

template <class state>
static __device__ __forceinline__ state wm_column_reduction_from_lane(const state& own, int distance,
                                                    unsigned mask) {
  wm_column_reduction_words<state> words;
  memcpy(words.at, &own, sizeof(state));
#pragma unroll
  for (int i = 0; i < words.kCount; ++i) {
    words.at[i] = __shfl_xor_sync(mask, words.at[i], distance);
  }
  state other;
  memcpy(&other, words.at, sizeof(state));
  return other;
}

// Combines the states of kLanes neighbouring threads in a fixed order; the first of them gets the
// result. More than 32 are a whole number of warps, and every thread of the block takes part.
template <int kThreads, int kLanes, class Problem, class state>
static __device__ __forceinline__ state wm_column_reduction_combine(state sum) {
  static_assert(sizeof(state) % 4 == 0, "a state is a whole number of words");
#pragma unroll
  for (int distance = (kLanes < 32 ? kLanes : 32) / 2; distance > 0; distance /= 2) {
    sum = Problem::combine(sum, wm_column_reduction_from_lane(sum, distance, 0xffffffffu));
  }
  if constexpr (kLanes > 32) {
    __shared__ wm_column_reduction_words<state> shared[kThreads / 32];
    __syncthreads();  // those of the use before this one have been read
    if (threadIdx.x % 32u == 0) memcpy(&shared[threadIdx.x / 32u], &sum, sizeof(state));
    __syncthreads();
    if (threadIdx.x % kLanes == 0) {
#pragma unroll
      for (int warp = 1; warp < kLanes / 32; ++warp) {
        state other;
        memcpy(&other, &shared[threadIdx.x / 32u + warp], sizeof(state));
        sum = Problem::combine(sum, other);
      }
    }
  }
  return sum;
}

// States of other blocks, past the first cache.
template <class state>
static __device__ __forceinline__ state wm_column_reduction_read(const unsigned* words, size_t number) {
  wm_column_reduction_words<state> copy;
#pragma unroll
  for (int i = 0; i < copy.kCount; ++i) {
    copy.at[i] = __ldcg(words + number * copy.kCount + i);
  }
  state read;
  memcpy(&read, copy.at, sizeof(state));
  return read;
}

template <class state>
static __device__ __forceinline__ void wm_column_reduction_write(unsigned* words, size_t number,
                                               const state& value) {
  wm_column_reduction_words<state> copy;
  memcpy(copy.at, &value, sizeof(state));
#pragma unroll
  for (int i = 0; i < copy.kCount; ++i) __stcg(words + number * copy.kCount + i, copy.at[i]);
}

// Terms that thread y of `lanes` takes, of kNext rows that lie side by side.
template <int kItems, class Problem, class index, class state, int kNext>
static __device__ __forceinline__ void wm_column_reduction_take_beside(const Problem& problem, index row, index at,
                                                     index lanes, state (&sums)[kNext]) {
  const index length = problem.length(row);
  for (; at < length && length - at > (kItems - 1) * lanes; at += kItems * lanes) {
    typename Problem::beside beside[kItems];
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      problem.load_beside(row, at + item * lanes, beside[item]);
    }
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      problem.fold_beside(row, at + item * lanes, beside[item], sums);
    }
  }
  while (at < length) {
    typename Problem::beside beside;
    problem.load_beside(row, at, beside);
    problem.fold_beside(row, at, beside, sums);
    if (length - at <= lanes) break;
    at += lanes;
  }
}

template <int kItems, class Problem, class index, class state>
static __device__ __forceinline__ void wm_column_reduction_take(const Problem& problem, index row, index at,
                                              index lanes, state& sum) {
  const index length = problem.length(row);
  for (; at < length && length - at > (kItems - 1) * lanes; at += kItems * lanes) {
#pragma unroll
    for (int item = 0; item < kItems; ++item) problem.fold(row, at + item * lanes, sum);
  }
  while (at < length) {
    problem.fold(row, at, sum);
    if (length - at <= lanes) break;
    at += lanes;
  }
}

template <class Problem, int kThreads, int kItems>
static __device__ __forceinline__ void wm_column_reduction(const Problem& problem, unsigned* tickets,
                                         unsigned* states, unsigned parts, unsigned tiles) {
  using state = typename Problem::state;
  using index = typename Problem::index;
  constexpr int kNext = Problem::kNext;
  constexpr int kRows = 32 * kNext;  // of a tile
  constexpr int kAlong = kThreads / 32;
  const index rows = problem.rows();
  const unsigned tile = blockIdx.x % tiles;
  const unsigned part = blockIdx.x / tiles;
  const unsigned lane = threadIdx.x % 32u;
  const index first = static_cast<index>(tile) * kRows;
  const index at = part * kAlong + threadIdx.x / 32u;
  const index lanes = parts * kAlong;
  state sums[kNext];
#pragma unroll
  for (int i = 0; i < kNext; ++i) sums[i] = Problem::identity();
  const index own = first + lane * kNext;
  bool is_beside = false;
  if constexpr (kNext > 1) {
    // The whole tile in one way, as its warps combine their rows.
    is_beside = __syncthreads_and(own < rows ? rows - own >= kNext && problem.beside_at(own) : true);
    if (is_beside && own < rows) wm_column_reduction_take_beside<kItems>(problem, own, at, lanes, sums);
  }
  if (!is_beside) {
#pragma unroll
    for (int i = 0; i < kNext; ++i) {
      const index row = first + lane + i * 32;
      if (row < rows) wm_column_reduction_take<kItems>(problem, row, at, lanes, sums[i]);
    }
  }
  __shared__ wm_column_reduction_words<state> shared[kAlong][kRows];
#pragma unroll
  for (int i = 0; i < kNext; ++i) {
    const unsigned place = is_beside ? lane * kNext + i : lane + i * 32;
    memcpy(&shared[threadIdx.x / 32u][place], &sums[i], sizeof(state));
  }
  __syncthreads();
  for (unsigned place = threadIdx.x; place < kRows; place += kThreads) {
    state sum = Problem::identity();
#pragma unroll
    for (int i = 0; i < kAlong; ++i) {
      state other;
      memcpy(&other, &shared[i][place], sizeof(state));
      sum = Problem::combine(sum, other);
    }
    const index row = first + place;
    if (parts == 1) {
      if (row < rows) problem.finish(row, sum);
    } else {
      wm_column_reduction_write(states, (static_cast<size_t>(tile) * parts + part) * kRows + place, sum);
      __threadfence();
    }
  }
  if (parts == 1) return;
  __shared__ bool is_last;
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();
    is_last = atomicInc(&tickets[tile], parts - 1) == parts - 1;
  }
  __syncthreads();
  if (!is_last) return;
  __threadfence();
  for (unsigned place = threadIdx.x; place < kRows; place += kThreads) {
    state sum = Problem::identity();
#pragma unroll 8
    for (unsigned other = 0; other < parts; ++other) {
      const state theirs =
          wm_column_reduction_read<state>(states, (static_cast<size_t>(tile) * parts + other) * kRows + place);
      sum = Problem::combine(sum, theirs);
    }
    if (first + place < rows) problem.finish(first + place, sum);
  }
}
