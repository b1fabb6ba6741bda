// Every row is summed by `parts` blocks, each of which leaves one state; a second launch combines
// them in a fixed order. That costs less than tickets, which have to be cleared before every run.

// A state that moves as words of 32 bits.
template <class state>
struct wm_grid_reduction_words {
  static constexpr int kCount = static_cast<int>(sizeof(state) / 4);
  unsigned at[kCount];
};

template <class state>
static __device__ __forceinline__ state wm_grid_reduction_from_lane(const state& own, int distance,
                                                                    unsigned mask) {
  wm_grid_reduction_words<state> words;
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
static __device__ __forceinline__ state wm_grid_reduction_combine(state sum) {
  static_assert(sizeof(state) % 4 == 0, "a state is a whole number of words");
#pragma unroll
  for (int distance = (kLanes < 32 ? kLanes : 32) / 2; distance > 0; distance /= 2) {
    sum = Problem::wm_combine(sum, wm_grid_reduction_from_lane(sum, distance, 0xffffffffu));
  }
  if constexpr (kLanes > 32) {
    __shared__ wm_grid_reduction_words<state> shared[kThreads / 32];
    __syncthreads();  // those of the use before this one have been read
    if (threadIdx.x % 32u == 0) memcpy(&shared[threadIdx.x / 32u], &sum, sizeof(state));
    __syncthreads();
    if (threadIdx.x % kLanes == 0) {
#pragma unroll
      for (int warp = 1; warp < kLanes / 32; ++warp) {
        state other;
        memcpy(&other, &shared[threadIdx.x / 32u + warp], sizeof(state));
        sum = Problem::wm_combine(sum, other);
      }
    }
  }
  return sum;
}

// Takes in the terms of `row` that lane `lane` of `lanes` takes: pieces of neighbouring terms where
// the row has them, kItems loads at a time.
template <int kItems, class Problem, class index, class state>
static __device__ __forceinline__ void wm_grid_reduction_take(const Problem& problem, index row,
                                                              index lane, index lanes, state& sum) {
  const index length = problem.wm_length(row);
  index front = 0, behind = 0;  // terms in [front, behind) are read as pieces
  if constexpr (Problem::wm_along > 1) {
    constexpr index kWide = Problem::wm_along;
    front = problem.wm_lead(row);
    if (front >= length)
      front = 0;  // no piece of this row is aligned
    else
      behind = front + (length - front) / kWide * kWide;
    const index pieces = (behind - front) / kWide;
    index at = lane;
    for (; at < pieces && pieces - at > (kItems - 1) * lanes; at += kItems * lanes) {
      typename Problem::wm_piece piece[kItems];
#pragma unroll
      for (int item = 0; item < kItems; ++item) {
        problem.wm_load(row, front + (at + item * lanes) * kWide, piece[item]);
      }
#pragma unroll
      for (int item = 0; item < kItems; ++item) {
        problem.wm_fold_piece(row, front + (at + item * lanes) * kWide, piece[item], sum);
      }
    }
    if (at < pieces) {
      typename Problem::wm_piece piece[kItems];
#pragma unroll
      for (int item = 0; item < kItems; ++item) {
        const index own = at + item * lanes;
        if (own < pieces) problem.wm_load(row, front + own * kWide, piece[item]);
      }
#pragma unroll
      for (int item = 0; item < kItems; ++item) {
        const index own = at + item * lanes;
        if (own < pieces) problem.wm_fold_piece(row, front + own * kWide, piece[item], sum);
      }
    }
  }
  // The terms in front of the pieces and behind them.
  const index singles = length - (behind - front);
  index at = lane;
  if (behind == 0) {
    for (; at < singles && singles - at > (kItems - 1) * lanes; at += kItems * lanes) {
#pragma unroll
      for (int item = 0; item < kItems; ++item) problem.wm_fold(row, at + item * lanes, sum);
    }
  }
  while (at < singles) {
    problem.wm_fold(row, at < front ? at : at - front + behind, sum);
    if (singles - at <= lanes) break;
    at += lanes;
  }
}

template <class Problem, int kThreads, int kItems>
static __device__ __forceinline__ void wm_grid_reduction(const Problem& problem, unsigned* states,
                                                         unsigned parts) {
  using state = typename Problem::wm_state;
  using index = typename Problem::wm_index;
  const unsigned row = blockIdx.x / parts;
  const unsigned part = blockIdx.x % parts;
  state sum = Problem::wm_identity();
  wm_grid_reduction_take<kItems>(problem, static_cast<index>(row),
                                 static_cast<index>(part * kThreads + threadIdx.x),
                                 static_cast<index>(parts * kThreads), sum);
  sum = wm_grid_reduction_combine<kThreads, kThreads, Problem>(sum);
  if (threadIdx.x == 0) reinterpret_cast<state*>(states)[blockIdx.x] = sum;
}

// One block a row.
template <class Problem, int kThreads>
static __device__ __forceinline__ void wm_grid_reduction_total(const Problem& problem,
                                                               unsigned* states, unsigned parts) {
  using state = typename Problem::wm_state;
  using index = typename Problem::wm_index;
  const state* own =
      reinterpret_cast<const state*>(states) + static_cast<size_t>(blockIdx.x) * parts;
  state sum = Problem::wm_identity();
#pragma unroll 4
  for (unsigned part = threadIdx.x; part < parts; part += kThreads) {
    sum = Problem::wm_combine(sum, own[part]);
  }
  sum = wm_grid_reduction_combine<kThreads, kThreads, Problem>(sum);
  if (threadIdx.x == 0) problem.wm_finish(static_cast<index>(blockIdx.x), sum);
}
