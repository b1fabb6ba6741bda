// A scan in one pass: blocks scan tiles, say what a tile sums to, and look back at what those before
// it summed. Tiles are drawn from a counter, so that a block only waits for blocks that have started.
//
// The value in front of tile t of a row is folded from totals in a fixed tree, 32 wide: of the tiles
// of its group, of the groups of its section, of the sections before. A total depends on nothing but
// totals below it, so no chain of waiting blocks grows with the row, and equal data give equal bits.

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

  unsigned long long seen[kWords];

  __device__ __forceinline__ void look(const unsigned long long* totals, unsigned long long which) {
    const volatile unsigned long long* at = totals + which * kWords;
#pragma unroll
    for (int i = 0; i < kWords; ++i) seen[i] = at[i];
  }
  __device__ __forceinline__ T wait(const unsigned long long* totals, unsigned long long which) {
    const volatile unsigned long long* at = totals + which * kWords;
    wm_scan_words<T> words;
#pragma unroll
    for (int i = 0; i < kWords; ++i) {
      while ((seen[i] & kReady) == 0) seen[i] = at[i];
      words.at[i] = static_cast<unsigned>(seen[i]);
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

// What stands in front of tile `tile` of a row, for lane 0 of the warp; `total` is the tile's own,
// published already. `totals` are those of the row: tiles, then groups of 32, then sections of 1024.
template <class Problem>
static __device__ __forceinline__ typename Problem::value wm_scan_look_back(
    unsigned long long* totals, unsigned tiles, unsigned tile, const typename Problem::value& total) {
  using T = typename Problem::value;
  using Total = wm_scan_total<T>;
  const unsigned lane = threadIdx.x % 32u;
  const unsigned group = tile / 32u;
  const unsigned section = tile / 1024u;
  unsigned long long* const groups = totals + static_cast<unsigned long long>(tiles) * Total::kWords;
  unsigned long long* const sections =
      groups + static_cast<unsigned long long>((tiles + 31u) / 32u) * Total::kWords;
  const bool has_tile = lane < tile % 32u;
  const bool has_group = lane < group % 32u;
  const bool has_section = lane < section;
  Total tile_total, group_total, section_total;
  if (has_tile) tile_total.look(totals, group * 32u + lane);
  if (has_group) group_total.look(groups, section * 32u + lane);
  if (has_section) section_total.look(sections, lane);

  T of_tiles = Problem::identity();
  if (has_tile) of_tiles = tile_total.wait(totals, group * 32u + lane);
  of_tiles = wm_scan_fold<Problem>(of_tiles);
  const T whole_group = Problem::combine(of_tiles, total);
  if (lane == 0 && tile % 32u == 31u) Total::publish(groups, group, whole_group);
  if (group == 0) return of_tiles;

  T of_groups = Problem::identity();
  if (has_group) of_groups = group_total.wait(groups, section * 32u + lane);
  of_groups = wm_scan_fold<Problem>(of_groups);
  if (lane == 0 && tile % 1024u == 1023u) {
    Total::publish(sections, section, Problem::combine(of_groups, whole_group));
  }
  T front = of_groups;
  if (section > 0) {
    T of_sections = Problem::identity();
    for (unsigned first = 0; first < section; first += 32u) {
      T part = Problem::identity();
      if (first + lane < section) {
        if (first > 0) section_total.look(sections, first + lane);
        part = section_total.wait(sections, first + lane);
      }
      of_sections = Problem::combine(of_sections, wm_scan_fold<Problem>(part));
    }
    front = Problem::combine(of_sections, of_groups);
  }
  return Problem::combine(front, of_tiles);
}

// A tile of a row. Piece p of a warp is 32 * kWide terms in a row, kWide of them for each lane.
template <class Problem, int kThreads, int kPieces, int kWide>
struct wm_scan_tile {
  using T = typename Problem::value;
  using index = typename Problem::index;
  static constexpr int kTerms = kThreads * kPieces * kWide;

  unsigned row, tile;
  index length;
  bool is_wide;
  T items[kPieces][kWide];

  __device__ __forceinline__ index first() const { return static_cast<index>(tile) * kTerms; }
  __device__ __forceinline__ bool is_there() const { return first() < length; }
  __device__ __forceinline__ bool is_last() const { return length - first() <= kTerms; }
  // Of the lane's part of a piece.
  __device__ __forceinline__ index start(int piece) const {
    const unsigned own = threadIdx.x / 32u * (32 * kWide * kPieces) + threadIdx.x % 32u * kWide;
    return first() + own + piece * (32 * kWide);
  }

  __device__ __forceinline__ void read(const Problem& problem, unsigned ticket, unsigned tiles) {
    row = ticket / tiles;
    tile = ticket % tiles;
    length = row < problem.rows() ? problem.length(row) : 0;
    is_wide = is_there() && length - first() >= kTerms && problem.template wide<kWide>(row);
    if (is_wide) {
#pragma unroll
      for (int p = 0; p < kPieces; ++p) {
        problem.template load_piece<kWide>(row, start(p), items[p]);
      }
    } else {
#pragma unroll
      for (int p = 0; p < kPieces; ++p) {
#pragma unroll
        for (int i = 0; i < kWide; ++i) {
          const index at = start(p) + i;
          items[p][i] = at < length ? problem.load(row, at) : Problem::identity();
        }
      }
    }
  }

  // `front`: what stands before the terms of piece p.
  __device__ __forceinline__ void write(const Problem& problem, int p, T front) const {
    T before[kWide], with[kWide];
#pragma unroll
    for (int i = 0; i < kWide; ++i) {
      before[i] = front;
      front = Problem::combine(front, items[p][i]);
      with[i] = front;
    }
    const index at = start(p);
    if (is_wide) {
      problem.template store_piece<kWide>(row, at, before, with);
    } else {
#pragma unroll
      for (int i = 0; i < kWide; ++i) {
        if (at + i < length) problem.store(row, at + i, before[i], with[i]);
      }
    }
  }
};

// `scratch`, zeroed: the counter of tiles, then for each row the totals of its tiles, groups and
// sections. `tiles` of a row, as many as the longest row has; `all` of all rows.
template <class Problem, int kThreads, int kPieces>
static __device__ void wm_single_pass_scan(const Problem& problem, long long* scratch,
                                           unsigned tiles, unsigned all) {
  using T = typename Problem::value;
  using Total = wm_scan_total<T>;
  constexpr int kWide = sizeof(T) <= 4 ? 4 : sizeof(T) <= 8 ? 2 : 1;
  constexpr int kWarps = kThreads / 32;
  using Tile = wm_scan_tile<Problem, kThreads, kPieces, kWide>;
  __shared__ unsigned drawn;
  __shared__ T warp_totals[kWarps];
  __shared__ T tile_front;
  unsigned* const counter = reinterpret_cast<unsigned*>(scratch);
  const int lane = threadIdx.x % 32u;
  const int warp = threadIdx.x / 32u;
  const unsigned long long slots =
      static_cast<unsigned long long>(tiles) + (tiles + 31u) / 32u + (tiles + 1023u) / 1024u;
  // Rows of one tile wait for nothing: any order will do.
  unsigned ticket = blockIdx.x;
  if (tiles > 1) {
    if (threadIdx.x == 0) drawn = atomicAdd(counter, 1u);
    __syncthreads();
    ticket = drawn;
    __syncthreads();
  }
  if (ticket >= all) return;
  Tile tile;
  tile.read(problem, ticket, tiles);
  while (true) {
    if (threadIdx.x == 0) drawn = tiles > 1 ? atomicAdd(counter, 1u) : ticket + gridDim.x;
    if (tile.tile == 0 && threadIdx.x == 0 && tile.row < problem.rows()) problem.begin(tile.row);
    // Of each piece: what stands before the lane's part in the warp.
    T before[kPieces];
    T warp_total = Problem::identity();
#pragma unroll
    for (int p = 0; p < kPieces; ++p) {
      T sum = tile.items[p][0];
#pragma unroll
      for (int i = 1; i < kWide; ++i) sum = Problem::combine(sum, tile.items[p][i]);
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
    const unsigned next = drawn;
    T front = Problem::identity();
    T total = Problem::identity();
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      if (w == warp) front = total;
      total = Problem::combine(total, warp_totals[w]);
    }
    unsigned long long* const totals = reinterpret_cast<unsigned long long*>(scratch) + 1 +
                                       tile.row * slots * Total::kWords;
    if (tiles > 1 && threadIdx.x == 0) Total::publish(totals, tile.tile, total);
    // The next tile travels while this one waits.
    Tile ahead;
    if (next < all) ahead.read(problem, next, tiles);
    if (warp == 0) {
      T value = Problem::identity();
      if (tiles > 1) value = wm_scan_look_back<Problem>(totals, tiles, tile.tile, total);
      if (lane == 0) tile_front = value;
    }
    __syncthreads();
    front = Problem::combine(tile_front, front);
    total = Problem::combine(tile_front, total);
    if (tile.is_there()) {
#pragma unroll
      for (int p = 0; p < kPieces; ++p) {
        tile.write(problem, p, Problem::combine(front, before[p]));
      }
    }
    const bool ends = tile.is_there() ? tile.is_last() : tile.tile == 0;
    if (ends && tile.row < problem.rows()) {
      problem.finish(tile.row, total, threadIdx.x, kThreads);
    }
    if (next >= all) return;
    ticket = next;
    tile = ahead;
  }
}
