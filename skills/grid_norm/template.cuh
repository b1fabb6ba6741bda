// Every row is shared by `parts` blocks. A launch for each pass leaves one state a block; the next
// launch combines the states of a row in a fixed order, in every block alike, and goes on. What a
// row's blocks read again comes from the L2 cache where it fits.

// A state that moves as words of 32 bits.
template <class state>
struct wm_grid_norm_words {
  static constexpr int kCount = static_cast<int>(sizeof(state) / 4);
  unsigned at[kCount];
};

template <class state>
static __device__ __forceinline__ state wm_grid_norm_from_lane(const state& own, int distance) {
  wm_grid_norm_words<state> words;
  memcpy(words.at, &own, sizeof(state));
#pragma unroll
  for (int i = 0; i < words.kCount; ++i) {
    words.at[i] = __shfl_xor_sync(0xffffffffu, words.at[i], distance);
  }
  state other;
  memcpy(&other, words.at, sizeof(state));
  return other;
}

// Combines the states of a block in a fixed order; all threads get the result.
template <int kThreads, class Problem, class state>
static __device__ __forceinline__ state wm_grid_norm_combine(state sum) {
  static_assert(sizeof(state) % 4 == 0, "a state is a whole number of words");
  __shared__ wm_grid_norm_words<state> shared[kThreads / 32];
#pragma unroll
  for (int distance = 16; distance > 0; distance /= 2) {
    sum = Problem::wm_combine(sum, wm_grid_norm_from_lane(sum, distance));
  }
  __syncthreads();  // those of the use before this one have been read
  if (threadIdx.x % 32u == 0) memcpy(&shared[threadIdx.x / 32u], &sum, sizeof(state));
  __syncthreads();
  memcpy(&sum, &shared[0], sizeof(state));
#pragma unroll
  for (int warp = 1; warp < kThreads / 32; ++warp) {
    state other;
    memcpy(&other, &shared[warp], sizeof(state));
    sum = Problem::wm_combine(sum, other);
  }
  return sum;
}

// How the terms of a row lie: `pieces` of wm_along from `front` on, and single ones around them.
template <class index>
struct wm_grid_norm_shape {
  index front, pieces, singles;
  bool is_wide;
};

template <class Problem, class row>
static __device__ __forceinline__ wm_grid_norm_shape<typename Problem::wm_index>
wm_grid_norm_shape_of(const Problem& problem, const row& at) {
  using index = typename Problem::wm_index;
  wm_grid_norm_shape<index> shape;
  shape.is_wide = Problem::wm_along > 1 && problem.wm_is_wide(at);
  shape.front = shape.is_wide ? problem.wm_lead(at) : 0;
  if (shape.front > at.length) shape.front = at.length;
  shape.pieces = (at.length - shape.front) / Problem::wm_along;
  shape.singles = at.length - shape.pieces * Problem::wm_along;
  return shape;
}

// Takes the terms of lane `lane` of `lanes` in, kItems pieces at a time.
template <int kItems, class Problem, class row, class index, class state>
static __device__ __forceinline__ void wm_grid_norm_fold(const Problem& problem, const row& at,
                                                         index lane, index lanes, state& sum) {
  constexpr index kAlong = Problem::wm_along;
  const auto shape = wm_grid_norm_shape_of(problem, at);
  index piece = lane;
  while (piece < shape.pieces && shape.pieces - piece > (kItems - 1) * lanes) {
    typename Problem::wm_piece own[kItems];
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      problem.wm_load_piece(at, shape.front + (piece + i * lanes) * kAlong, shape.is_wide, own[i]);
    }
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      problem.wm_fold_piece(at, shape.front + (piece + i * lanes) * kAlong, shape.is_wide, own[i],
                            sum);
    }
    if (shape.pieces - piece <= kItems * lanes) {
      piece = shape.pieces;
    } else {
      piece += kItems * lanes;
    }
  }
  while (piece < shape.pieces) {
    typename Problem::wm_piece own;
    problem.wm_load_piece(at, shape.front + piece * kAlong, shape.is_wide, own);
    problem.wm_fold_piece(at, shape.front + piece * kAlong, shape.is_wide, own, sum);
    if (shape.pieces - piece <= lanes) break;
    piece += lanes;
  }
  for (index single = lane; single < shape.singles; single += lanes) {
    const index term = single < shape.front ? single : single + shape.pieces * kAlong;
    typename Problem::wm_element own;
    problem.wm_load(at, term, own);
    problem.wm_fold(at, term, own, sum);
  }
}

template <int kItems, class Problem, class row, class index>
static __device__ __forceinline__ void wm_grid_norm_store(const Problem& problem, const row& at,
                                                          index lane, index lanes) {
  constexpr index kAlong = Problem::wm_along;
  const auto shape = wm_grid_norm_shape_of(problem, at);
  // From the end, where a row that is longer than the cache still lies in it.
  index piece = lane;
  while (piece < shape.pieces && shape.pieces - piece > (kItems - 1) * lanes) {
    typename Problem::wm_piece own[kItems];
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const index from = shape.pieces - 1 - (piece + i * lanes);
      problem.wm_load_piece(at, shape.front + from * kAlong, shape.is_wide, own[i]);
    }
#pragma unroll
    for (int i = 0; i < kItems; ++i) {
      const index from = shape.pieces - 1 - (piece + i * lanes);
      problem.wm_store_piece(at, shape.front + from * kAlong, shape.is_wide, own[i]);
    }
    if (shape.pieces - piece <= kItems * lanes) {
      piece = shape.pieces;
    } else {
      piece += kItems * lanes;
    }
  }
  while (piece < shape.pieces) {
    const index from = shape.pieces - 1 - piece;
    typename Problem::wm_piece own;
    problem.wm_load_piece(at, shape.front + from * kAlong, shape.is_wide, own);
    problem.wm_store_piece(at, shape.front + from * kAlong, shape.is_wide, own);
    if (shape.pieces - piece <= lanes) break;
    piece += lanes;
  }
  for (index single = lane; single < shape.singles; single += lanes) {
    const index term = single < shape.front ? single : single + shape.pieces * kAlong;
    typename Problem::wm_element own;
    problem.wm_load(at, term, own);
    problem.wm_store(at, term, own);
  }
}

// What the blocks of a row have left, taken together by one block.
template <int kThreads, class Problem, class state>
static __device__ __forceinline__ state wm_grid_norm_total(const unsigned* states, unsigned row,
                                                           unsigned parts, state none) {
  const state* own = reinterpret_cast<const state*>(states) + static_cast<size_t>(row) * parts;
  state sum = none;
#pragma unroll 4
  for (unsigned part = threadIdx.x; part < parts; part += kThreads) {
    sum = Problem::wm_combine(sum, own[part]);
  }
  return wm_grid_norm_combine<kThreads, Problem>(sum);
}

// Leaves one state of the block.
template <int kPass, int kThreads, int kItems, class Problem, class row>
static __device__ __forceinline__ void wm_grid_norm_pass(const Problem& problem, const row& at,
                                                         bool is_row, unsigned* states,
                                                         unsigned parts) {
  using index = typename Problem::wm_index;
  using pass = typename Problem::template wm_pass<kPass>;
  using state = decltype(problem.wm_identity(at, pass()));
  const unsigned part = blockIdx.x % parts;
  state sum{};
  if (is_row) {
    sum = problem.wm_identity(at, pass());
    wm_grid_norm_fold<kItems>(problem, at, static_cast<index>(part * kThreads + threadIdx.x),
                              static_cast<index>(parts * kThreads), sum);
  }
  sum = wm_grid_norm_combine<kThreads, Problem>(sum);
  if (threadIdx.x == 0) reinterpret_cast<state*>(states)[blockIdx.x] = sum;
}

// Takes what the launch of that pass has left.
template <int kPass, int kThreads, class Problem, class row>
static __device__ __forceinline__ void wm_grid_norm_take(const Problem& problem, row& at,
                                                         bool is_row, const unsigned* states,
                                                         unsigned parts) {
  using pass = typename Problem::template wm_pass<kPass>;
  if (!is_row) return;  // all of the block
  const auto total = wm_grid_norm_total<kThreads, Problem>(states, blockIdx.x / parts, parts,
                                                           problem.wm_identity(at, pass()));
  problem.wm_take(at, total);
}

template <class Problem, int kThreads, int kItems>
static __device__ __forceinline__ void wm_grid_norm_first(const Problem& problem, unsigned* first,
                                                          unsigned parts) {
  using index = typename Problem::wm_index;
  typename Problem::wm_row at;
  at.length = 0;
  const bool is_row = problem.wm_begin(static_cast<index>(blockIdx.x / parts), at);
  wm_grid_norm_pass<0, kThreads, kItems>(problem, at, is_row, first, parts);
}

template <class Problem, int kThreads, int kItems>
static __device__ __forceinline__ void wm_grid_norm_second(const Problem& problem, unsigned* first,
                                                           unsigned* second, unsigned parts) {
  using index = typename Problem::wm_index;
  if constexpr (Problem::wm_passes > 1) {
    typename Problem::wm_row at;
    at.length = 0;
    const bool is_row = problem.wm_begin(static_cast<index>(blockIdx.x / parts), at);
    wm_grid_norm_take<0, kThreads>(problem, at, is_row, first, parts);
    wm_grid_norm_pass<1, kThreads, kItems>(problem, at, is_row, second, parts);
  }
}

template <class Problem, int kThreads, int kItems>
static __device__ __forceinline__ void wm_grid_norm_last(const Problem& problem, unsigned* first,
                                                         unsigned* second, unsigned parts) {
  using index = typename Problem::wm_index;
  static_assert(Problem::wm_passes <= 2, "a launch for each pass");
  typename Problem::wm_row at;
  at.length = 0;
  const bool is_row = problem.wm_begin(static_cast<index>(blockIdx.x / parts), at);
  wm_grid_norm_take<0, kThreads>(problem, at, is_row, first, parts);
  if constexpr (Problem::wm_passes > 1) {
    wm_grid_norm_take<1, kThreads>(problem, at, is_row, second, parts);
  }
  if (!is_row) return;
  const unsigned part = blockIdx.x % parts;
  if constexpr (Problem::wm_has_stores) {
    wm_grid_norm_store<kItems>(problem, at, static_cast<index>(part * kThreads + threadIdx.x),
                               static_cast<index>(parts * kThreads));
  }
  if (part == 0 && threadIdx.x == 0) problem.wm_finish(at);
}
