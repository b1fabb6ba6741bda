// Sums of rows whose terms lie between a begin and an end that data name. kLanes lanes share a row
// and take its terms side by side, kDeep loads in flight each. A group of lanes has kRows rows one
// behind the other: each of its first kRows lanes reads the range of one row and finishes that row,
// so that ranges and results travel side by side, too.

// `value` of another lane, word by word.
template <class State>
__device__ __forceinline__ State wm_shuffle_xor(const State& value, int lanes) {
  static_assert(sizeof(State) % 4 == 0, "a state has whole words");
  union wm_words {
    State state;
    unsigned word[sizeof(State) / 4];
  };
  wm_words mine, theirs;
  mine.state = value;
#pragma unroll
  for (int i = 0; i < static_cast<int>(sizeof(State) / 4); ++i) {
    theirs.word[i] = __shfl_xor_sync(0xffffffffu, mine.word[i], lanes);
  }
  return theirs.state;
}

template <int kBytes>
struct wm_distance {
  using type = unsigned;
};
template <>
struct wm_distance<8> {
  using type = unsigned long long;
};

// The terms number begin + lane, begin + lane + kStride, … of a row that is not empty.
template <class Problem, int kStride, int kDeep>
__device__ __forceinline__ typename Problem::wm_state wm_lane_terms(
    const Problem& problem, typename Problem::wm_index row, typename Problem::wm_position begin,
    typename Problem::wm_position end, unsigned lane) {
  using state = typename Problem::wm_state;
  using position = typename Problem::wm_position;
  state sum = Problem::wm_identity();
  using distance = typename wm_distance<sizeof(position)>::type;
  distance left_over = static_cast<distance>(end) - static_cast<distance>(begin);
  position start = begin;
  while (true) {
    state terms[kDeep];
    constexpr unsigned kStep = kStride * kDeep;
    const unsigned left = left_over < kStep ? static_cast<unsigned>(left_over) : kStep;
#pragma unroll
    for (int i = 0; i < kDeep; ++i) {
      // Behind the end the last term is read again, so that no load waits for a branch.
      const unsigned wanted = i * kStride + lane;
      terms[i] = problem.wm_term(row, start + static_cast<position>(min(wanted, left - 1u)));
    }
#pragma unroll
    for (int i = 0; i < kDeep; ++i) {
      if (i * kStride + lane < left) sum = Problem::wm_combine(sum, terms[i]);
    }
    if (left_over <= kStep) break;
    left_over -= kStep;
    start += static_cast<position>(kStep);
  }
  return sum;
}

// The first kLanes * kDeep terms of kTogether rows, whose loads are in flight together; the rest of
// longer rows behind that.
template <class Problem, int kLanes, int kTogether, int kDeep>
__device__ __forceinline__ void wm_rows_together(
    const Problem& problem, typename Problem::wm_index first,
    const typename Problem::wm_position (&begins)[kTogether],
    const typename Problem::wm_position (&ends)[kTogether], unsigned lane,
    typename Problem::wm_state (&sums)[kTogether]) {
  using state = typename Problem::wm_state;
  using position = typename Problem::wm_position;
  using distance = typename wm_distance<sizeof(position)>::type;
  constexpr unsigned kStep = kLanes * kDeep;
  // An empty row reads a term of another one, so that there is nothing to branch for.
  int some = -1;
#pragma unroll
  for (int t = 0; t < kTogether; ++t) {
    sums[t] = Problem::wm_identity();
    if (some < 0 && begins[t] < ends[t]) some = t;
  }
  if (some < 0) return;
  position some_begin = begins[0];
#pragma unroll
  for (int t = 1; t < kTogether; ++t) {
    if (some == t) some_begin = begins[t];
  }
  state terms[kTogether][kDeep];
  unsigned left[kTogether];
#pragma unroll
  for (int t = 0; t < kTogether; ++t) {
    const bool is_empty = begins[t] >= ends[t];
    const distance length =
        is_empty ? 0 : static_cast<distance>(ends[t]) - static_cast<distance>(begins[t]);
    left[t] = length < kStep ? static_cast<unsigned>(length) : kStep;
    const position start = is_empty ? some_begin : begins[t];
    const typename Problem::wm_index row = first + (is_empty ? some : t);
    const unsigned last = is_empty ? 0u : left[t] - 1u;
#pragma unroll
    for (int i = 0; i < kDeep; ++i) {
      // Behind the end the last term is read again.
      const unsigned wanted = i * kLanes + lane;
      terms[t][i] = problem.wm_term(row, start + static_cast<position>(min(wanted, last)));
    }
  }
#pragma unroll
  for (int t = 0; t < kTogether; ++t) {
#pragma unroll
    for (int i = 0; i < kDeep; ++i) {
      if (i * kLanes + lane < left[t]) sums[t] = Problem::wm_combine(sums[t], terms[t][i]);
    }
  }
#pragma unroll
  for (int t = 0; t < kTogether; ++t) {
    if (begins[t] >= ends[t]) continue;
    const distance length = static_cast<distance>(ends[t]) - static_cast<distance>(begins[t]);
    if (length <= kStep) continue;
    const state rest = wm_lane_terms<Problem, kLanes, kDeep>(
        problem, first + t, begins[t] + static_cast<position>(kStep), ends[t], lane);
    sums[t] = Problem::wm_combine(sums[t], rest);
  }
}

// kRows rows for each group of kLanes lanes, from row `first` of the group on.
template <class Problem, int kLanes, int kRows, int kTogether, int kDeep>
__device__ __forceinline__ void wm_group_rows(const Problem& problem,
                                              const typename Problem::wm_index first,
                                              const unsigned lane) {
  using state = typename Problem::wm_state;
  using index = typename Problem::wm_index;
  using position = typename Problem::wm_position;
  // Rows so long that the whole warp takes them.
  using distance = typename wm_distance<sizeof(position)>::type;
  constexpr distance kLong = kLanes < 32 ? 128 * kLanes : ~static_cast<distance>(0);
  const index own = first + lane;
  const bool is_mine = lane < kRows && own < problem.wm_rows();
  position begin = 0, end = 0;
  if (is_mine) problem.wm_range(own, begin, end);
  if (end < begin) end = begin;
  const bool is_long = static_cast<distance>(end) - static_cast<distance>(begin) > kLong;
  state mine = Problem::wm_identity();
#pragma unroll 1
  for (int r = 0; r < kRows; r += kTogether) {
    position begins[kTogether], ends[kTogether];
    state sums[kTogether];
#pragma unroll
    for (int t = 0; t < kTogether; ++t) {
      begins[t] = __shfl_sync(0xffffffffu, begin, r + t, kLanes);
      ends[t] = __shfl_sync(0xffffffffu, is_long ? begin : end, r + t, kLanes);
    }
    wm_rows_together<Problem, kLanes, kTogether, kDeep>(problem, first + r, begins, ends, lane,
                                                         sums);
#pragma unroll
    for (int t = 0; t < kTogether; ++t) {
#pragma unroll
      for (int step = kLanes / 2; step > 0; step /= 2) {
        sums[t] = Problem::wm_combine(sums[t], wm_shuffle_xor(sums[t], step));
      }
      if (lane == static_cast<unsigned>(r + t)) mine = sums[t];
    }
  }
  if constexpr (kLanes < 32) {
    const unsigned warp_lane = threadIdx.x % 32u;
    for (unsigned left = __ballot_sync(0xffffffffu, is_long); left != 0u; left &= left - 1u) {
      const int owner = __ffs(static_cast<int>(left)) - 1;
      const index row = __shfl_sync(0xffffffffu, own, owner);
      const position row_begin = __shfl_sync(0xffffffffu, begin, owner);
      const position row_end = __shfl_sync(0xffffffffu, end, owner);
      state sum = wm_lane_terms<Problem, 32, kDeep>(problem, row, row_begin, row_end, warp_lane);
#pragma unroll
      for (int step = 16; step > 0; step /= 2) {
        sum = Problem::wm_combine(sum, wm_shuffle_xor(sum, step));
      }
      if (warp_lane == static_cast<unsigned>(owner)) mine = sum;
    }
  }
  if (is_mine) problem.wm_finish(own, mine);
}

// All rows, by blocks that take one tile of rows after another.
template <class Problem, int kThreads, int kLanes, int kRows, int kTogether, int kDeep>
__device__ __forceinline__ void wm_tiles_of_rows(const Problem& problem) {
  using index = typename Problem::wm_index;
  static_assert(kLanes >= 1 && kLanes <= 32 && kRows <= kLanes, "a lane finishes one row");
  static_assert(kRows % kTogether == 0, "rows are taken in whole batches");
  constexpr index kTile = kThreads / kLanes * kRows;
  const index tiles = (problem.wm_rows() + (kTile - 1)) / kTile;
  for (index tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    wm_group_rows<Problem, kLanes, kRows, kTogether, kDeep>(
        problem, tile * kTile + threadIdx.x / kLanes * kRows, threadIdx.x % kLanes);
  }
}

// kStaged: the array that terms are gathered from lies in shared memory, where 32 lanes that read 32
// places take a few cycles and not one for each line of the cache. Where it does not fit, it stays.
template <class Problem, int kThreads, int kLanes, int kRows, int kTogether, int kDeep, int kStaged>
__device__ __forceinline__ void wm_segment_lanes(const Problem& problem,
                                                 const unsigned shared_bytes) {
  using element = typename Problem::wm_gathered;
  extern __shared__ uint4 wm_staged[];
  const unsigned long long count = kStaged == 0 ? 0u : problem.wm_gathered_count();
  if (count == 0u || count > shared_bytes / sizeof(element)) {
    wm_tiles_of_rows<Problem, kThreads, kLanes, kRows, kTogether, kDeep>(problem);
    return;
  }
  element* const staged = reinterpret_cast<element*>(wm_staged);
  const element* const given = problem.wm_gathered_from();
  unsigned done = 0;
  if (reinterpret_cast<unsigned long long>(given) % 16u == 0u) {
    constexpr unsigned kPack = 16 / sizeof(element);
    const unsigned packs = static_cast<unsigned>(count / kPack);
#pragma unroll 8
    for (unsigned i = threadIdx.x; i < packs; i += kThreads) {
      wm_staged[i] = reinterpret_cast<const uint4*>(given)[i];
    }
    done = packs * kPack;
  }
  for (unsigned i = done + threadIdx.x; i < count; i += kThreads) staged[i] = given[i];
  __syncthreads();
  wm_tiles_of_rows<Problem, kThreads, kLanes, kRows, kTogether, kDeep>(
      problem.wm_gathering_from(staged));
}
