// The k best of each row. One warp, or all warps of a block, walk a row in pieces of kItems columns
// a lane. The best of each lane's columns bound the k-th best of the row from below, so nearly all
// columns fall to one comparison; the few that pass are collected, sorted and merged into the best
// found so far, which lie sorted over the lanes of the warp.

// Unsigned numbers in the order of the keys; -0 and 0 are one.
__device__ __forceinline__ unsigned wm_order(float key) {
  const unsigned bits = __float_as_uint(key + 0.0f);
  return bits ^ (static_cast<unsigned>(static_cast<int>(bits) >> 31) | 0x80000000u);
}
__device__ __forceinline__ unsigned long long wm_order(double key) {
  const long long bits = __double_as_longlong(key + 0.0);
  return static_cast<unsigned long long>(bits) ^
         (static_cast<unsigned long long>(bits >> 63) | 0x8000000000000000ull);
}
__device__ __forceinline__ unsigned wm_order(int key) {
  return static_cast<unsigned>(key) ^ 0x80000000u;
}
__device__ __forceinline__ unsigned wm_order(unsigned key) { return key; }
__device__ __forceinline__ unsigned long long wm_order(long long key) {
  return static_cast<unsigned long long>(key) ^ 0x8000000000000000ull;
}
__device__ __forceinline__ unsigned long long wm_order(unsigned long long key) { return key; }

// A column and the order of its key; place 0: none. Columns of equal keys are told apart by place.
template <class Order>
struct wm_candidate {
  Order order;
  unsigned place;

  __device__ __forceinline__ bool before(const wm_candidate& other) const {
    return order > other.order || (order == other.order && place > other.place);
  }
  __device__ __forceinline__ wm_candidate of_lane(unsigned lane) const {
    return {__shfl_sync(0xffffffffu, order, static_cast<int>(lane)),
            __shfl_sync(0xffffffffu, place, static_cast<int>(lane))};
  }
};

// The order alone.
template <class Order>
struct wm_bare_order {
  Order order;

  __device__ __forceinline__ bool before(const wm_bare_order& other) const {
    return order > other.order;
  }
  __device__ __forceinline__ wm_bare_order of_lane(unsigned lane) const {
    return {__shfl_sync(0xffffffffu, order, static_cast<int>(lane))};
  }
};

// One step of a bitonic network over 32 * kSlots candidates; number slot * 32 + lane.
template <int kSlots, class Candidate>
__device__ __forceinline__ void wm_sort_step(Candidate (&held)[kSlots], unsigned lane, int size,
                                             int stride) {
#pragma unroll
  for (int slot = 0; slot < kSlots; ++slot) {
    const unsigned number = slot * 32 + lane;
    if (stride >= 32) {
      const int other = slot ^ (stride / 32);
      if (other < slot) continue;
      const bool falls = (number & size) == 0;
      if (held[other].before(held[slot]) == falls) {
        const Candidate kept = held[slot];
        held[slot] = held[other];
        held[other] = kept;
      }
    } else {
      const Candidate other = held[slot].of_lane(lane ^ stride);
      const bool wants_better = ((number & stride) == 0) == ((number & size) == 0);
      if (other.before(held[slot]) == wants_better) held[slot] = other;
    }
  }
}

template <int kSlots, class Candidate>
__device__ __forceinline__ void wm_sort(Candidate (&held)[kSlots], unsigned lane) {
#pragma unroll
  for (int size = 2; size <= 32 * kSlots; size *= 2) {
#pragma unroll
    for (int stride = size / 2; stride > 0; stride /= 2) {
      wm_sort_step<kSlots>(held, lane, size, stride);
    }
  }
}

// The better half of two sorted lists, sorted.
template <int kSlots, class Candidate>
__device__ __forceinline__ void wm_merge(Candidate (&best)[kSlots],
                                         const Candidate (&more)[kSlots], unsigned lane) {
#pragma unroll
  for (int slot = 0; slot < kSlots; ++slot) {
    const Candidate other = more[kSlots - 1 - slot].of_lane(31u - lane);
    if (other.before(best[slot])) best[slot] = other;
  }
#pragma unroll
  for (int stride = 16 * kSlots; stride > 0; stride /= 2) {
    wm_sort_step<kSlots>(best, lane, 64 * kSlots, stride);
  }
}

template <class Problem, int kThreads, int kWarps, int kItems, int kSlots>
struct wm_row_selection {
  using key = typename Problem::wm_key;
  using index = typename Problem::wm_index;
  using order = decltype(wm_order(key()));
  using candidate = wm_candidate<order>;
  static constexpr int kHeld = 32 * kSlots;

  const Problem& problem;
  index row;
  unsigned lane, columns, k;
  candidate* waiting;  // of this warp, kHeld + 32
  unsigned count;
  bool is_started, is_strange;
  candidate best[kSlots];
  candidate bound;  // nothing behind it is among the k best

  static __device__ __forceinline__ order order_of(const key value) {
    const order rank = wm_order(value);
    return Problem::wm_largest ? rank : static_cast<order>(~rank);
  }
  static __device__ __forceinline__ unsigned place_of(unsigned column) {
    return Problem::wm_earlier_first ? ~column : column + 1u;
  }
  static __device__ __forceinline__ unsigned column_of(unsigned place) {
    return Problem::wm_earlier_first ? ~place : place - 1u;
  }

  __device__ __forceinline__ void take_in() {
    __syncwarp();
    candidate more[kSlots];
#pragma unroll
    for (int slot = 0; slot < kSlots; ++slot) {
      const unsigned at = slot * 32 + lane;
      more[slot] = at < count ? waiting[at] : candidate{0, 0u};
    }
    const bool is_left = lane + kHeld < count;
    const candidate rest = is_left ? waiting[kHeld + lane] : candidate{0, 0u};
    __syncwarp();
    if (is_left) waiting[lane] = rest;
    count = count > kHeld ? count - kHeld : 0u;
    wm_sort<kSlots>(more, lane);
    wm_merge<kSlots>(best, more, lane);
#pragma unroll
    for (int slot = 0; slot < kSlots; ++slot) {
      const candidate last = best[slot].of_lane((k - 1u) % 32u);
      if ((k - 1u) / 32u == slot && last.place != 0u && last.before(bound)) bound = last;
    }
    __syncwarp();
  }

  // The k-th largest of 32 * kSlots orders, each the best of other columns.
  __device__ __forceinline__ order kth_of(wm_bare_order<order> (&most)[kSlots]) const {
    wm_sort<kSlots>(most, lane);
    order found = 0;
#pragma unroll
    for (int slot = 0; slot < kSlots; ++slot) {
      const order last = most[slot].of_lane((k - 1u) % 32u).order;
      if ((k - 1u) / 32u == slot) found = last;
    }
    return found;
  }

  template <int kWide>
  static __device__ __forceinline__ unsigned column_at(unsigned first, unsigned lane, int item) {
    return first + (item / kWide * 32u + lane) * kWide + item % kWide;
  }

  template <int kWide>
  __device__ __forceinline__ void look_at(unsigned first) {
    key keys[kItems];
#pragma unroll
    for (int piece = 0; piece < kItems / kWide; ++piece) {
      // Behind the end the last piece is read again, so that no load waits for a branch.
      const unsigned column = min(column_at<kWide>(first, lane, piece * kWide), columns - kWide);
      if constexpr (kWide == 1) {
        keys[piece] = problem.wm_load(row, column);
      } else {
        key loaded[kWide];
        problem.template wm_load_piece<kWide>(row, column, loaded);
#pragma unroll
        for (int i = 0; i < kWide; ++i) keys[piece * kWide + i] = loaded[i];
      }
    }
    order orders[kItems];
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      is_strange = is_strange || !Problem::wm_is_comparable(keys[item]);
      orders[item] = problem.wm_is_eligible(keys[item]) ? order_of(keys[item]) : 0;
      if (column_at<kWide>(first, lane, item) >= columns) orders[item] = 0;
    }
    if (!is_started) {
      is_started = true;
      wm_bare_order<order> most[kSlots];
#pragma unroll
      for (int slot = 0; slot < kSlots; ++slot) most[slot] = {0};
#pragma unroll
      for (int item = 0; item < kItems; ++item) {
        most[item % kSlots].order = max(most[item % kSlots].order, orders[item]);
      }
      bound = {kth_of(most), 0u};
    }
    unsigned passing = 0;
#pragma unroll
    for (int item = 0; item < kItems; ++item) {
      if (orders[item] >= bound.order) passing |= 1u << item;
    }
    while (__any_sync(0xffffffffu, passing != 0u)) {
      candidate mine{0, 0u};
      if (passing != 0u) {
        // Read again: registers cannot be indexed, and the cache has it.
        const unsigned column = column_at<kWide>(first, lane, __ffs(passing) - 1);
        passing &= passing - 1u;
        if (column < columns) {
          const key value = problem.wm_load(row, column);
          mine = {order_of(value), place_of(column)};
          if (!problem.wm_is_eligible(value) || bound.before(mine)) mine.place = 0u;
        }
      }
      const unsigned with = __ballot_sync(0xffffffffu, mine.place != 0u);
      if (mine.place != 0u) waiting[count + __popc(with & ((1u << lane) - 1u))] = mine;
      count += __popc(with);
      if (count >= kHeld) take_in();
    }
  }

  template <int kWide>
  __device__ __forceinline__ void walk(unsigned warp) {
    constexpr unsigned kPiece = 32u * kItems;
    for (unsigned first = warp * kPiece; first < columns; first += kWarps * kPiece) {
      look_at<kWide>(first);
      if (columns - first <= kWarps * kPiece) break;  // the sum may not fit
    }
  }
};

template <class Problem, int kThreads, int kWarps, int kItems, int kSlots>
__device__ __forceinline__ void wm_row_top_k(const Problem& problem) {
  using selection = wm_row_selection<Problem, kThreads, kWarps, kItems, kSlots>;
  using candidate = typename selection::candidate;
  static_assert(kWarps == 1 || kWarps == kThreads / 32, "a row has one warp or the whole block");
  static_assert(kItems <= 32, "a lane has one bit for each column");
  __shared__ candidate waiting[kThreads / 32][selection::kHeld + 32];
  const unsigned warp = threadIdx.x / 32u, lane = threadIdx.x % 32u;
  const typename Problem::wm_index row =
      kWarps == 1 ? static_cast<typename Problem::wm_index>(blockIdx.x) * (kThreads / 32) + warp
                  : blockIdx.x;
  if (row >= problem.wm_rows()) return;
  unsigned columns = 0u, k = 0u;  // so they stay where the given kernel does nothing
  problem.wm_shape(row, columns, k);
  if (k == 0u || k > selection::kHeld || k > columns) {
    if (lane == 0u && (kWarps == 1 || warp == 0u)) problem.wm_as_given(row);
    return;
  }
  selection work{problem, row, lane, columns, k, waiting[warp], 0u, false, false};
#pragma unroll
  for (int slot = 0; slot < kSlots; ++slot) work.best[slot] = {0, 0u};
  work.bound = {0, 0u};
  constexpr int kWide = 16 / sizeof(typename Problem::wm_element);
  if (kItems % kWide == 0 && columns % kWide == 0 && problem.template wm_wide<kWide>(row)) {
    work.template walk<kWide>(kWarps == 1 ? 0u : warp);
  } else {
    work.template walk<1>(kWarps == 1 ? 0u : warp);
  }
  if (work.count > 0u) work.take_in();
  bool is_strange = __any_sync(0xffffffffu, work.is_strange);
  if constexpr (kWarps > 1) {
    is_strange = __syncthreads_or(is_strange);
#pragma unroll
    for (int slot = 0; slot < kSlots; ++slot) waiting[warp][slot * 32 + lane] = work.best[slot];
    __syncthreads();
    if (warp > 0u) return;
    for (int other = 1; other < kWarps; ++other) {
      candidate more[kSlots];
#pragma unroll
      for (int slot = 0; slot < kSlots; ++slot) more[slot] = waiting[other][slot * 32 + lane];
      wm_merge<kSlots>(work.best, more, lane);
    }
  }
  bool is_short = false;  // fewer than k may be chosen
#pragma unroll
  for (int slot = 0; slot < kSlots; ++slot) {
    is_short = is_short || (slot * 32 + lane < k && work.best[slot].place == 0u);
  }
  if (is_strange || __any_sync(0xffffffffu, is_short)) {
    if (lane == 0u) problem.wm_as_given(row);
    return;
  }
#pragma unroll
  for (int slot = 0; slot < kSlots; ++slot) {
    const unsigned rank = slot * 32 + lane;
    if (rank < k) problem.wm_store(row, rank, selection::column_of(work.best[slot].place));
  }
}
