// The 32 lanes of a warp take 32 neighbouring rows, the warps of a block share their terms. What the
// passes read again stays in registers, kKept terms a thread; the rest of longer rows is read again.

// Room for a state that shared memory does not construct.
template <class state>
struct wm_column_norm_slot {
  unsigned at[sizeof(state) / 4];
};

// Combines the states of the warps of one lane in a fixed order; all of them get the result.
template <int kThreads, class Problem, class state>
static __device__ __forceinline__ state wm_column_norm_combine(state sum) {
  static_assert(sizeof(state) % 4 == 0, "a state is a whole number of words");
  __shared__ wm_column_norm_slot<state> shared[kThreads / 32][32];
  const unsigned lane = threadIdx.x % 32u;
  __syncthreads();  // those of the use before this one have been read
  memcpy(shared[threadIdx.x / 32u][lane].at, &sum, sizeof(state));
  __syncthreads();
  memcpy(&sum, shared[0][lane].at, sizeof(state));
#pragma unroll
  for (int warp = 1; warp < kThreads / 32; ++warp) {
    state other;
    memcpy(&other, shared[warp][lane].at, sizeof(state));
    sum = Problem::wm_combine(sum, other);
  }
  return sum;
}

template <int kPass, int kThreads, int kKept, class Problem, class row>
static __device__ __forceinline__ void wm_column_norm_passes(
    const Problem& problem, row& at, bool is_row, typename Problem::wm_element (&kept)[kKept]) {
  using index = typename Problem::wm_index;
  if constexpr (kPass < Problem::wm_passes) {
    constexpr index kWarps = kThreads / 32;
    const index warp = threadIdx.x / 32u;
    using pass = typename Problem::template wm_pass<kPass>;
    decltype(problem.wm_identity(at, pass())) sum{};
    if (is_row) {
      sum = problem.wm_identity(at, pass());
#pragma unroll
      for (int i = 0; i < kKept; ++i) {
        const index term = warp + static_cast<index>(i) * kWarps;
        if (term < at.length) problem.wm_fold(at, term, kept[i], sum);
      }
#pragma unroll 4
      for (index term = warp + static_cast<index>(kKept) * kWarps; term < at.length;
           term += kWarps) {
        typename Problem::wm_element own;
        problem.wm_load(at, term, own);
        problem.wm_fold(at, term, own, sum);
      }
    }
    sum = wm_column_norm_combine<kThreads, Problem>(sum);
    if (is_row) problem.wm_take(at, sum);
    wm_column_norm_passes<kPass + 1, kThreads, kKept>(problem, at, is_row, kept);
  }
}

template <class Problem, int kThreads, int kKept>
static __device__ __forceinline__ void wm_column_norm(const Problem& problem) {
  using index = typename Problem::wm_index;
  constexpr index kWarps = kThreads / 32;
  const index warp = threadIdx.x / 32u;
  const index number = static_cast<index>(blockIdx.x) * 32 + threadIdx.x % 32u;
  typename Problem::wm_row at;
  at.length = 0;
  const bool is_row = number < problem.wm_rows() && problem.wm_begin(number, at);
  typename Problem::wm_element kept[kKept];
  if (is_row) {
#pragma unroll
    for (int i = 0; i < kKept; ++i) {
      const index term = warp + static_cast<index>(i) * kWarps;
      if (term < at.length) problem.wm_load(at, term, kept[i]);
    }
  }
  wm_column_norm_passes<0, kThreads, kKept>(problem, at, is_row, kept);
  if (!is_row) return;
  if constexpr (Problem::wm_has_stores) {
#pragma unroll
    for (int i = 0; i < kKept; ++i) {
      const index term = warp + static_cast<index>(i) * kWarps;
      if (term < at.length) problem.wm_store(at, term, kept[i]);
    }
#pragma unroll 4
    for (index term = warp + static_cast<index>(kKept) * kWarps; term < at.length;
         term += kWarps) {
      typename Problem::wm_element own;
      problem.wm_load(at, term, own);
      problem.wm_store(at, term, own);
    }
  }
  if (warp == 0) problem.wm_finish(at);
}
