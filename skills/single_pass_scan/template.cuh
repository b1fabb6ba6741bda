// A scan in one pass: blocks scan tiles, say what a tile sums to, and look back at what those before
// it summed. Tiles are drawn from a counter, so that a block only waits for blocks that have started.
//
// The value in front of a tile is folded in a fixed order: from the end of the group before the last
// one, then from the totals of all tiles since. Recent tiles are so one step away, older ones have long
// been summed, and equal data give equal bits.

// Tiles of a group.
constexpr unsigned wm_scan_group = 128;

// A value as words of 32 bits.
template <class T>
struct wm_scan_words {
  static_assert(sizeof(T) % 4 == 0, "values are whole words");
  static constexpr int kCount = sizeof(T) / 4;
  unsigned at[kCount];

  wm_scan_words() = default;
  __device__ __forceinline__ explicit wm_scan_words(const T& value) {
    memcpy(at, &value, sizeof(T));
  }
  __device__ __forceinline__ T value() const {
    T result;
    memcpy(&result, at, sizeof(T));
    return result;
  }
  __device__ __forceinline__ T from_below(int distance) const {
    wm_scan_words other;
#pragma unroll
    for (int i = 0; i < kCount; ++i) other.at[i] = __shfl_up_sync(0xffffffffu, at[i], distance);
    return other.value();
  }
  __device__ __forceinline__ T from_above(int distance) const {
    wm_scan_words other;
#pragma unroll
    for (int i = 0; i < kCount; ++i) other.at[i] = __shfl_down_sync(0xffffffffu, at[i], distance);
    return other.value();
  }
  __device__ __forceinline__ T from_lane(int lane) const {
    wm_scan_words other;
#pragma unroll
    for (int i = 0; i < kCount; ++i) other.at[i] = __shfl_sync(0xffffffffu, at[i], lane);
    return other.value();
  }
};

// A total that another block waits for: each word travels with its own flag, so it needs no fence.
template <class T>
struct wm_scan_total {
  static constexpr int kWords = wm_scan_words<T>::kCount;
  static constexpr unsigned long long kReady = 1ull << 32;

  static __device__ __forceinline__ void publish(unsigned long long* totals, unsigned long long which,
                                                 const T& value) {
    const wm_scan_words<T> words(value);
    volatile unsigned long long* at = totals + which * kWords;
#pragma unroll
    for (int i = 0; i < kWords; ++i) at[i] = kReady | words.at[i];
  }

  static __device__ __forceinline__ T wait(const unsigned long long* totals,
                                           unsigned long long which) {
    const volatile unsigned long long* at = totals + which * kWords;
    wm_scan_words<T> words;
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      unsigned long long seen = at[i];
      while ((seen & kReady) == 0) seen = at[i];
      words.at[i] = static_cast<unsigned>(seen);
    }
    return words.value();
  }
};

// All 32 lanes in order, for lane 0.
template <class Problem>
static __device__ __forceinline__ typename Problem::value wm_scan_fold(
    typename Problem::value value) {
#pragma unroll
  for (int distance = 1; distance < 32; distance *= 2) {
    value = Problem::combine(value, wm_scan_words<typename Problem::value>(value).from_above(distance));
  }
  return value;
}

// What stands in front of tile `tile` of a row, for all threads of the block; `total` is the tile's own.
// `totals` are those of the row's tiles, then what all tiles up to the end of each group sum to.
template <class Problem, int kWarps>
static __device__ __forceinline__ typename Problem::value wm_scan_look_back(
    unsigned long long* totals, unsigned tiles, unsigned tile, const typename Problem::value& total) {
  using T = typename Problem::value;
  using Total = wm_scan_total<T>;
  constexpr int kParts = 2 * wm_scan_group / 32;
  __shared__ T parts[kParts + 1];
  const unsigned lane = threadIdx.x % 32u;
  const int warp = threadIdx.x / 32u;
  const unsigned group = tile / wm_scan_group;
  const unsigned first = group > 0 ? (group - 1u) * wm_scan_group : 0u;
  unsigned long long* const ends = totals + static_cast<unsigned long long>(tiles) * Total::kWords;
  if (threadIdx.x == 0) Total::publish(totals, tile, total);
#pragma unroll
  for (int i = warp; i <= kParts; i += kWarps) {
    T part = Problem::identity();
    if (i == 0) {
      if (group > 1 && lane == 0) part = Total::wait(ends, group - 2u);
    } else {
      const unsigned which = first + (i - 1) * 32u + lane;
      if (which < tile) part = Total::wait(totals, which);
      part = wm_scan_fold<Problem>(part);
    }
    if (lane == 0) parts[i] = part;
  }
  __syncthreads();
  T front = parts[0];
#pragma unroll
  for (int i = 1; i <= kParts; ++i) front = Problem::combine(front, parts[i]);
  if (threadIdx.x == 0 && tile % wm_scan_group == wm_scan_group - 1u) {
    Total::publish(ends, group, Problem::combine(front, total));
  }
  return front;
}

// `scratch`, zeroed: the counter of tiles, then for each row the totals of its tiles and the ends of
// its groups. `tiles` of a row, as many as the longest row has.
template <class Problem, int kThreads, int kPieces>
static __device__ void wm_single_pass_scan(const Problem& problem, long long* scratch,
                                           unsigned tiles) {
  using T = typename Problem::value;
  using index = typename Problem::index;
  constexpr int kWide = sizeof(T) <= 4 ? 4 : sizeof(T) <= 8 ? 2 : 1;
  constexpr int kWarps = kThreads / 32;
  constexpr int kTile = kThreads * kPieces * kWide;
  __shared__ unsigned drawn;
  __shared__ T warp_totals[kWarps];
  const int lane = threadIdx.x % 32u;
  const int warp = threadIdx.x / 32u;
  unsigned ticket = blockIdx.x;
  if (tiles > 1) {
    if (threadIdx.x == 0) drawn = atomicAdd(reinterpret_cast<unsigned*>(scratch), 1u);
    __syncthreads();
    ticket = drawn;
  }
  const unsigned row = ticket / tiles;
  const unsigned tile = ticket % tiles;
  if (row >= problem.rows()) return;
  const index length = problem.length(row);
  const index first = static_cast<index>(tile) * kTile;
  if (tile == 0 && threadIdx.x == 0) problem.begin(row);
  if (first >= length) {
    if (tile == 0) problem.finish(row, Problem::identity(), threadIdx.x, kThreads);
    return;
  }

  // Piece p of a warp is 32 * kWide terms in a row, kWide for each lane.
  const index start = first + warp * (32 * kWide * kPieces) + lane * kWide;
  const bool is_full = length - first >= kTile;
  const bool is_wide = is_full && problem.template wide<kWide>(row);
  T items[kPieces][kWide];
  if (is_wide) {
#pragma unroll
    for (int p = 0; p < kPieces; ++p) {
      problem.template load_piece<kWide>(row, start + p * (32 * kWide), items[p]);
    }
  } else {
#pragma unroll
    for (int p = 0; p < kPieces; ++p) {
#pragma unroll
      for (int i = 0; i < kWide; ++i) {
        const index at = start + p * (32 * kWide) + i;
        items[p][i] = at < length ? problem.load(row, at) : Problem::identity();
      }
    }
  }

  // Of each piece: what stands before the lane's part, then before it in the warp.
  T before[kPieces];
  T warp_total = Problem::identity();
#pragma unroll
  for (int p = 0; p < kPieces; ++p) {
    T sum = items[p][0];
#pragma unroll
    for (int i = 1; i < kWide; ++i) sum = Problem::combine(sum, items[p][i]);
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const T other = wm_scan_words<T>(sum).from_below(distance);
      if (lane >= distance) sum = Problem::combine(other, sum);
    }
    const T left = wm_scan_words<T>(sum).from_below(1);
    before[p] = lane == 0 ? warp_total : Problem::combine(warp_total, left);
    warp_total = Problem::combine(warp_total, wm_scan_words<T>(sum).from_lane(31));
  }
  if (lane == 0) warp_totals[warp] = warp_total;
  __syncthreads();
  T front = Problem::identity();
  T total = Problem::identity();
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    if (w == warp) front = total;
    total = Problem::combine(total, warp_totals[w]);
  }
  if (tiles > 1) {
    const unsigned long long slots =
        static_cast<unsigned long long>(tiles) + (tiles + wm_scan_group - 1u) / wm_scan_group;
    unsigned long long* const totals =
        reinterpret_cast<unsigned long long*>(scratch) + 1 + row * slots * wm_scan_total<T>::kWords;
    const T before_tile = wm_scan_look_back<Problem, kWarps>(totals, tiles, tile, total);
    front = Problem::combine(before_tile, front);
    total = Problem::combine(before_tile, total);
  }

#pragma unroll
  for (int p = 0; p < kPieces; ++p) {
    T prefixes[kWide], with[kWide];
    T sum = Problem::combine(front, before[p]);
#pragma unroll
    for (int i = 0; i < kWide; ++i) {
      prefixes[i] = sum;
      sum = Problem::combine(sum, items[p][i]);
      with[i] = sum;
    }
    const index at = start + p * (32 * kWide);
    if (is_wide) {
      problem.template store_piece<kWide>(row, at, prefixes, with);
    } else {
#pragma unroll
      for (int i = 0; i < kWide; ++i) {
        if (at + i < length) problem.store(row, at + i, prefixes[i], with[i]);
      }
    }
  }
  if (length - first <= kTile) problem.finish(row, total, threadIdx.x, kThreads);
}
