/// How many keys of each digit a tile holds: counts[digit * tiles + tile].
template <class Problem, int kThreads, int kItems, int kDigits>
__device__ __forceinline__ void wm_radix_pass_count(const Problem& problem, unsigned* counts,
                                                    const unsigned tiles) {
  using index = typename Problem::index;
  // With a copy for each lane (or, of many digits, for a few of them) equal digits do not queue.
  constexpr unsigned kCopies = kDigits <= 64 ? 32 : 8;
  __shared__ unsigned counters[kDigits * kCopies];
  for (unsigned at = threadIdx.x; at < kDigits * kCopies; at += kThreads) counters[at] = 0;
  __syncthreads();

  const index count = problem.count();
  const index first = static_cast<index>(blockIdx.x) * (kThreads * kItems);
  const unsigned copy = threadIdx.x % kCopies;
  constexpr int kPack = Problem::pack;
  if (first + kThreads * kItems <= count && kItems % kPack == 0 && problem.wide()) {
    typename Problem::key keys[kItems / kPack + 1][kPack];
#pragma unroll
    for (int k = 0; k < kItems / kPack; ++k) {
      problem.load_piece(first + (k * kThreads + threadIdx.x) * kPack, keys[k]);
    }
#pragma unroll
    for (int k = 0; k < kItems / kPack; ++k) {
#pragma unroll
      for (int e = 0; e < kPack; ++e) {
        atomicAdd(counters + problem.digit(keys[k][e]) * kCopies + copy, 1u);
      }
    }
  } else {
    for (unsigned at = threadIdx.x; at < kThreads * kItems && first + at < count; at += kThreads) {
      atomicAdd(counters + problem.digit(problem.load(first + at)) * kCopies + copy, 1u);
    }
  }
  __syncthreads();

  for (unsigned digit = threadIdx.x; digit < kDigits; digit += kThreads) {
    unsigned sum = 0;
#pragma unroll
    for (unsigned c = 0; c < kCopies; ++c) sum += counters[digit * kCopies + (c + digit) % kCopies];
    counts[digit * tiles + blockIdx.x] = sum;
  }
}

/// Sum of `value` over the threads in front of this one; `total`: of all threads of the block.
template <int kThreads>
__device__ __forceinline__ unsigned wm_radix_sum_before(const unsigned value, unsigned& total) {
  constexpr int kWarps = kThreads / 32;
  __shared__ unsigned warp_sums[kWarps];
  const unsigned lane = threadIdx.x % 32;
  unsigned with = value;
#pragma unroll
  for (unsigned step = 1; step < 32; step *= 2) {
    const unsigned other = __shfl_up_sync(0xffffffffu, with, step);
    if (lane >= step) with += other;
  }
  if (lane == 31) warp_sums[threadIdx.x / 32] = with;
  __syncthreads();
  unsigned before = 0;
  total = 0;
#pragma unroll
  for (int warp = 0; warp < kWarps; ++warp) {
    const unsigned sum = warp_sums[warp];
    if (warp < static_cast<int>(threadIdx.x / 32)) before += sum;
    total += sum;
  }
  __syncthreads();
  return before + with - value;
}

/// Counts become the sums of those of the tiles before; a block for each digit.
template <class Problem, int kThreads>
__device__ __forceinline__ void wm_radix_pass_scan(const Problem&, unsigned* counts,
                                                   unsigned* totals, const unsigned tiles) {
  constexpr unsigned kEach = 4;
  unsigned* const row = counts + static_cast<size_t>(blockIdx.x) * tiles;
  unsigned before = 0;
  for (unsigned first = 0; first < tiles; first += kThreads * kEach) {
    const unsigned at = first + threadIdx.x * kEach;
    unsigned value[kEach];
    unsigned sum = 0;
#pragma unroll
    for (unsigned k = 0; k < kEach; ++k) {
      value[k] = at + k < tiles ? row[at + k] : 0u;
      sum += value[k];
    }
    unsigned total;
    unsigned running = before + wm_radix_sum_before<kThreads>(sum, total);
#pragma unroll
    for (unsigned k = 0; k < kEach; ++k) {
      if (at + k < tiles) row[at + k] = running;
      running += value[k];
    }
    before += total;
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = before;
}

/// Puts the keys of a tile in order of their digits in shared memory, and writes each run of equal
/// digits side by side. Keys of one digit keep their order.
template <class Problem, int kThreads, int kItems, int kDigits>
__device__ __forceinline__ void wm_radix_pass_scatter(const Problem& problem,
                                                      const unsigned* counts,
                                                      const unsigned* totals,
                                                      const unsigned tiles) {
  static_assert(kThreads >= kDigits, "a thread for each digit");
  using key = typename Problem::key;
  using payload = typename Problem::payload;
  using index = typename Problem::index;
  constexpr unsigned kWarps = kThreads / 32;
  constexpr unsigned kTile = kThreads * kItems;
  extern __shared__ uint4 wm_radix_memory[];
  key* const keys_in_order = reinterpret_cast<key*>(wm_radix_memory);
  __shared__ unsigned counters[kWarps][kDigits];
  __shared__ unsigned first_of[kDigits];  // in the output, less the place in the tile

  const unsigned warp = threadIdx.x / 32;
  const unsigned lane = threadIdx.x % 32;
  for (unsigned digit = lane; digit < kDigits; digit += 32) counters[warp][digit] = 0;
  const index count = problem.count();
  const index first = static_cast<index>(blockIdx.x) * kTile;
  const unsigned held = static_cast<unsigned>(min(count - first, static_cast<index>(kTile)));
  const unsigned own = warp * 32 * kItems + lane;
  key keys[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    if (own + k * 32 < held) keys[k] = problem.load(first + own + k * 32);
  }
  __syncwarp();

  // The place of each key among those of its digit in the warp, in the order of the input.
  unsigned places[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const bool is_held = own + k * 32 < held;
    const unsigned digit = is_held ? problem.digit(keys[k]) : 0u;
    unsigned peers = __ballot_sync(0xffffffffu, is_held);
#pragma unroll
    for (unsigned bit = 1; bit < kDigits; bit *= 2) {
      const unsigned set = __ballot_sync(0xffffffffu, (digit & bit) != 0);
      peers &= (digit & bit) != 0 ? set : ~set;
    }
    const unsigned in_front = __popc(peers & ((1u << lane) - 1u));
    const unsigned before = counters[warp][digit];
    __syncwarp();
    if (is_held && in_front == 0) counters[warp][digit] = before + __popc(peers);
    __syncwarp();
    places[k] = before + in_front;
  }
  __syncthreads();

  // Places in the tile: digits in order, of one digit the warps in order.
  unsigned of_digit = 0;
  if (threadIdx.x < kDigits) {
#pragma unroll
    for (unsigned w = 0; w < kWarps; ++w) {
      const unsigned here = counters[w][threadIdx.x];
      counters[w][threadIdx.x] = of_digit;
      of_digit += here;
    }
  }
  unsigned all;
  const unsigned in_tile = wm_radix_sum_before<kThreads>(of_digit, all);
  const unsigned in_total =
      wm_radix_sum_before<kThreads>(threadIdx.x < kDigits ? totals[threadIdx.x] : 0u, all);
  if (threadIdx.x < kDigits) {
#pragma unroll
    for (unsigned w = 0; w < kWarps; ++w) counters[w][threadIdx.x] += in_tile;
    first_of[threadIdx.x] = problem.start(threadIdx.x, in_total) +
                            counts[threadIdx.x * tiles + blockIdx.x] - in_tile;
  }
  __syncthreads();

#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    if (own + k * 32 < held) {
      places[k] += counters[warp][problem.digit(keys[k])];
      keys_in_order[places[k]] = keys[k];
    }
  }
  __syncthreads();
  unsigned goes_to[kItems];
#pragma unroll
  for (int k = 0; k < kItems; ++k) {
    const unsigned place = threadIdx.x + k * kThreads;
    if (place < held) {
      const key one = keys_in_order[place];
      // Counts that another launch did not write in full must not lead out of the keys.
      goes_to[k] = min(first_of[problem.digit(one)] + place, static_cast<unsigned>(count) - 1u);
      problem.store(goes_to[k], one);
    }
  }
  if constexpr (Problem::carries) {
    payload* const in_order = reinterpret_cast<payload*>(wm_radix_memory);
    payload carried[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      if (own + k * 32 < held) carried[k] = problem.carried(first + own + k * 32);
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      if (own + k * 32 < held) in_order[places[k]] = carried[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      const unsigned place = threadIdx.x + k * kThreads;
      if (place < held) problem.store_carried(goes_to[k], in_order[place]);
    }
  }
}
