/// The keys that a block takes: whole tiles that lie side by side, as many as every other block.
template <class Problem, int kTile>
__device__ __forceinline__ void wm_radix_stretch(const Problem& problem,
                                                 typename Problem::index& begin,
                                                 typename Problem::index& end) {
  using index = typename Problem::index;
  const index count = problem.count();
  const index tiles = (count + kTile - 1) / kTile;
  const index each = (tiles + gridDim.x - 1) / gridDim.x * kTile;
  begin = min(each * blockIdx.x, count);
  end = min(begin + each, count);
}

/// How many keys of each digit the stretch of a block holds: counts[block * kDigits + digit].
template <class Problem, int kThreads, int kItems, int kDigits>
__device__ __forceinline__ void wm_radix_pass_count(const Problem& problem, unsigned* counts) {
  using index = typename Problem::index;
  // With a copy for each lane (or, of many digits, for a few of them) equal digits do not queue.
  constexpr unsigned kCopies = kDigits <= 64 ? 32 : 8;
  constexpr int kPack = Problem::pack;
  constexpr int kPieces = kItems >= kPack ? kItems / kPack : 1;
  __shared__ unsigned counters[kDigits * kCopies];
  for (unsigned at = threadIdx.x; at < kDigits * kCopies; at += kThreads) counters[at] = 0;
  __syncthreads();

  index begin, end;
  wm_radix_stretch<Problem, kThreads * kItems>(problem, begin, end);
  unsigned* const own = counters + threadIdx.x % kCopies;
  index i = begin;
  if (problem.wide()) {
    constexpr index kStep = kThreads * kPieces * kPack;
    for (; i + kStep <= end; i += kStep) {
      typename Problem::key keys[kPieces][kPack];
#pragma unroll
      for (int k = 0; k < kPieces; ++k) {
        problem.load_piece(i + (k * kThreads + threadIdx.x) * kPack, keys[k]);
      }
#pragma unroll
      for (int k = 0; k < kPieces; ++k) {
#pragma unroll
        for (int e = 0; e < kPack; ++e) atomicAdd(own + problem.digit(keys[k][e]) * kCopies, 1u);
      }
    }
  }
  for (i += threadIdx.x; i < end; i += kThreads) {
    atomicAdd(own + problem.digit(problem.load(i)) * kCopies, 1u);
  }
  __syncthreads();

  for (unsigned digit = threadIdx.x; digit < kDigits; digit += kThreads) {
    unsigned sum = 0;
#pragma unroll
    for (unsigned c = 0; c < kCopies; ++c) sum += counters[digit * kCopies + (c + digit) % kCopies];
    counts[blockIdx.x * kDigits + digit] = sum;
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

/// Where the next key of the stretch with digit `threadIdx.x` goes.
template <class Problem, int kThreads, int kDigits>
__device__ __forceinline__ unsigned wm_radix_pass_start(const Problem& problem,
                                                        const unsigned* counts) {
  static_assert(kThreads >= kDigits, "a thread for each digit");
  __shared__ unsigned sums_before[kDigits];
  __shared__ unsigned sums[kDigits];
  if (threadIdx.x < kDigits) sums_before[threadIdx.x] = sums[threadIdx.x] = 0;
  __syncthreads();
  constexpr unsigned kRows = kThreads / kDigits;
  const unsigned row = threadIdx.x / kDigits;
  if (row < kRows) {
    const unsigned digit = threadIdx.x % kDigits;
    unsigned before = 0, sum = 0;
#pragma unroll 8
    for (unsigned block = row; block < gridDim.x; block += kRows) {
      const unsigned one = counts[block * kDigits + digit];
      before += block < blockIdx.x ? one : 0u;
      sum += one;
    }
    atomicAdd(sums_before + digit, before);
    atomicAdd(sums + digit, sum);
  }
  __syncthreads();
  const bool has_digit = threadIdx.x < kDigits;
  unsigned all;
  const unsigned first =
      wm_radix_sum_before<kThreads>(has_digit ? sums[threadIdx.x] : 0u, all);
  return has_digit ? problem.start(threadIdx.x, first) + sums_before[threadIdx.x] : 0u;
}

/// Puts the keys of a tile in order of their digits in shared memory, and writes each run of equal
/// digits side by side, tile after tile. Keys of one digit keep their order.
template <class Problem, int kThreads, int kItems, int kDigits>
__device__ __forceinline__ void wm_radix_pass_scatter(const Problem& problem,
                                                      const unsigned* counts) {
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
  const unsigned own = warp * 32 * kItems + lane;

  index begin, end;
  wm_radix_stretch<Problem, kTile>(problem, begin, end);
  unsigned next = wm_radix_pass_start<Problem, kThreads, kDigits>(problem, counts);
  for (index first = begin; first < end; first += kTile) {
    const unsigned held = static_cast<unsigned>(min(end - first, static_cast<index>(kTile)));
    key keys[kItems];
#pragma unroll
    for (int k = 0; k < kItems; ++k) {
      if (own + k * 32 < held) keys[k] = problem.load(first + own + k * 32);
    }
    for (unsigned digit = lane; digit < kDigits; digit += 32) counters[warp][digit] = 0;
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
      for (unsigned w = 0; w < kWarps; ++w) of_digit += counters[w][threadIdx.x];
    }
    unsigned all;
    const unsigned in_tile = wm_radix_sum_before<kThreads>(of_digit, all);
    if (threadIdx.x < kDigits) {
      unsigned place = in_tile;
#pragma unroll
      for (unsigned w = 0; w < kWarps; ++w) {
        const unsigned here = counters[w][threadIdx.x];
        counters[w][threadIdx.x] = place;
        place += here;
      }
      first_of[threadIdx.x] = next - in_tile;
      next += of_digit;
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
        goes_to[k] = first_of[problem.digit(one)] + place;
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
    // The memory of this tile is still read where the next one is ranked: its first barrier is
    // behind the ranks, and only then is the memory written again.
  }
}
