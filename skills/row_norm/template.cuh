// kLanes neighbouring threads take a row. What its passes read again stays in registers, kPieces
// pieces a thread; what a longer row has behind those is read again in every pass.

// A state that moves as words of 32 bits.
template <class state>
struct wm_row_norm_words {
  static constexpr int kCount = static_cast<int>(sizeof(state) / 4);
  unsigned at[kCount];
};

template <class state>
static __device__ __forceinline__ state wm_row_norm_from_lane(const state& own, int distance) {
  wm_row_norm_words<state> words;
  memcpy(words.at, &own, sizeof(state));
#pragma unroll
  for (int i = 0; i < words.kCount; ++i) {
    words.at[i] = __shfl_xor_sync(0xffffffffu, words.at[i], distance);
  }
  state other;
  memcpy(&other, words.at, sizeof(state));
  return other;
}

// Combines the states of kLanes neighbouring threads in a fixed order; all of them get the result.
// More than 32 are a whole number of warps, and every thread of the block takes part.
template <int kThreads, int kLanes, class Problem, class state>
static __device__ __forceinline__ state wm_row_norm_combine(state sum) {
  static_assert(sizeof(state) % 4 == 0, "a state is a whole number of words");
#pragma unroll
  for (int distance = (kLanes < 32 ? kLanes : 32) / 2; distance > 0; distance /= 2) {
    sum = Problem::wm_combine(sum, wm_row_norm_from_lane(sum, distance));
  }
  if constexpr (kLanes > 32) {
    constexpr unsigned kWarps = kLanes / 32;
    __shared__ wm_row_norm_words<state> shared[kThreads / 32];
    __syncthreads();  // those of the use before this one have been read
    if (threadIdx.x % 32u == 0) memcpy(&shared[threadIdx.x / 32u], &sum, sizeof(state));
    __syncthreads();
    const unsigned first = threadIdx.x / kLanes * kWarps;
    memcpy(&sum, &shared[first], sizeof(state));
#pragma unroll
    for (unsigned warp = 1; warp < kWarps; ++warp) {
      state other;
      memcpy(&other, &shared[first + warp], sizeof(state));
      sum = Problem::wm_combine(sum, other);
    }
  }
  return sum;
}

// How the terms of a row lie: `pieces` of wm_along from `front` on, and single ones around them.
template <class index>
struct wm_row_norm_shape {
  index front, pieces, singles;
  bool is_wide;
};

template <class Problem, class row>
static __device__ __forceinline__ wm_row_norm_shape<typename Problem::wm_index>
wm_row_norm_shape_of(const Problem& problem, const row& at) {
  using index = typename Problem::wm_index;
  wm_row_norm_shape<index> shape;
  shape.is_wide = Problem::wm_along > 1 && problem.wm_is_wide(at);
  shape.front = shape.is_wide ? problem.wm_lead(at) : 0;
  if (shape.front > at.length) shape.front = at.length;
  shape.pieces = (at.length - shape.front) / Problem::wm_along;
  shape.singles = at.length - shape.pieces * Problem::wm_along;
  return shape;
}

// Term of the single one of that number.
template <class Problem, class index>
static __device__ __forceinline__ index wm_row_norm_single(const wm_row_norm_shape<index>& shape,
                                                           index number) {
  return number < shape.front ? number : number + shape.pieces * Problem::wm_along;
}

template <int kPass, int kThreads, int kLanes, int kPieces, class Problem, class row, class index>
static __device__ __forceinline__ void wm_row_norm_passes(
    const Problem& problem, row& at, bool is_row, const wm_row_norm_shape<index>& shape, index lane,
    typename Problem::wm_piece (&kept)[kPieces]) {
  if constexpr (kPass < Problem::wm_passes) {
    constexpr index kAlong = Problem::wm_along;
    using pass = typename Problem::template wm_pass<kPass>;
    decltype(problem.wm_identity(at, pass())) sum{};
    if (is_row) {
      sum = problem.wm_identity(at, pass());
#pragma unroll
      for (int i = 0; i < kPieces; ++i) {
        const index piece = lane + static_cast<index>(i) * kLanes;
        if (piece < shape.pieces) {
          problem.wm_fold_piece(at, shape.front + piece * kAlong, shape.is_wide, kept[i], sum);
        }
      }
      for (index piece = lane + static_cast<index>(kPieces) * kLanes; piece < shape.pieces;
           piece += kLanes) {
        typename Problem::wm_piece own;
        problem.wm_load_piece(at, shape.front + piece * kAlong, shape.is_wide, own);
        problem.wm_fold_piece(at, shape.front + piece * kAlong, shape.is_wide, own, sum);
      }
      for (index single = lane; single < shape.singles; single += kLanes) {
        const index term = wm_row_norm_single<Problem>(shape, single);
        typename Problem::wm_element own;
        problem.wm_load(at, term, own);
        problem.wm_fold(at, term, own, sum);
      }
    }
    __syncwarp();
    sum = wm_row_norm_combine<kThreads, kLanes, Problem>(sum);
    if (is_row) problem.wm_take(at, sum);
    wm_row_norm_passes<kPass + 1, kThreads, kLanes, kPieces>(problem, at, is_row, shape, lane,
                                                             kept);
  }
}

template <class Problem, int kThreads, int kLanes, int kPieces>
static __device__ __forceinline__ void wm_row_norm(const Problem& problem) {
  using index = typename Problem::wm_index;
  constexpr index kAlong = Problem::wm_along;
  constexpr unsigned kRows = kThreads / kLanes;
  const index number = static_cast<index>(blockIdx.x) * kRows + threadIdx.x / kLanes;
  const index lane = threadIdx.x % kLanes;
  typename Problem::wm_row at;
  at.length = 0;
  const bool is_row = number < problem.wm_rows() && problem.wm_begin(number, at);
  wm_row_norm_shape<index> shape{0, 0, 0, false};
  typename Problem::wm_piece kept[kPieces];
  if (is_row) {
    shape = wm_row_norm_shape_of(problem, at);
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      const index piece = lane + static_cast<index>(i) * kLanes;
      if (piece < shape.pieces) {
        problem.wm_load_piece(at, shape.front + piece * kAlong, shape.is_wide, kept[i]);
      }
    }
  }
  wm_row_norm_passes<0, kThreads, kLanes, kPieces>(problem, at, is_row, shape, lane, kept);
  if (!is_row) return;
  if constexpr (Problem::wm_has_stores) {
#pragma unroll
    for (int i = 0; i < kPieces; ++i) {
      const index piece = lane + static_cast<index>(i) * kLanes;
      if (piece < shape.pieces) {
        problem.wm_store_piece(at, shape.front + piece * kAlong, shape.is_wide, kept[i]);
      }
    }
    for (index piece = lane + static_cast<index>(kPieces) * kLanes; piece < shape.pieces;
         piece += kLanes) {
      typename Problem::wm_piece own;
      problem.wm_load_piece(at, shape.front + piece * kAlong, shape.is_wide, own);
      problem.wm_store_piece(at, shape.front + piece * kAlong, shape.is_wide, own);
    }
    for (index single = lane; single < shape.singles; single += kLanes) {
      const index term = wm_row_norm_single<Problem>(shape, single);
      typename Problem::wm_element own;
      problem.wm_load(at, term, own);
      problem.wm_store(at, term, own);
    }
  }
  if (lane == 0) problem.wm_finish(at);
}
