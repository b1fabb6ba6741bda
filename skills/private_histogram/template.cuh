/// Where the code of one element adds: to the block's copies in shared memory, or straight to the
/// output when the bin has no copy.
template <class Problem, int kCopies>
struct wm_private_bins {
  using value = typename Problem::value;
  const Problem& problem;
  value* bins;      // copy c of bin b at b * kCopies + c
  unsigned count;   // of bins that have copies
  unsigned copy;    // the one of this lane

  __device__ __forceinline__ void add(const int bin, const value by) const {
    if (static_cast<unsigned>(bin) < count) {
      atomicAdd(bins + static_cast<unsigned>(bin) * kCopies + copy, by);
    } else {
      problem.add(bin, by);
    }
  }
};

/// Blocks step through the elements and count in shared memory; each adds its sums to the output at
/// the end. With 32 copies every lane has a bank of its own, so that equal keys do not queue.
template <class Problem, int kThreads, int kCopies, int kPieces>
__device__ __forceinline__ void wm_private_histogram(const Problem& problem,
                                                     const unsigned private_bins) {
  using value = typename Problem::value;
  using index = typename Problem::index;
  extern __shared__ uint4 wm_private_memory[];
  value* const bins = reinterpret_cast<value*>(wm_private_memory);
  for (unsigned at = threadIdx.x; at < private_bins * kCopies; at += kThreads) bins[at] = value(0);
  __syncthreads();

  const wm_private_bins<Problem, kCopies> sink{problem, bins, private_bins,
                                               threadIdx.x % kCopies};
  const index count = problem.count();
  constexpr index kPack = Problem::pack;
  index done = 0;
  if (problem.wide()) {
    constexpr index kTile = kThreads * kPieces;
    const index pieces = count / kPack;
    done = pieces * kPack;
    typename Problem::piece piece[kPieces];
    for (index tile = blockIdx.x; tile * kTile < pieces; tile += gridDim.x) {
      const index first = tile * kTile + threadIdx.x;
      if ((tile + 1) * kTile <= pieces) {
#pragma unroll
        for (int k = 0; k < kPieces; ++k) problem.load((first + k * kThreads) * kPack, piece[k]);
#pragma unroll
        for (int k = 0; k < kPieces; ++k) {
          problem.take(piece[k], (first + k * kThreads) * kPack, sink);
        }
      } else {
        for (index at = first; at < pieces; at += kThreads) {
          problem.load(at * kPack, piece[0]);
          problem.take(piece[0], at * kPack, sink);
        }
      }
    }
  }
  const index step = static_cast<index>(gridDim.x) * kThreads;
  for (index i = done + static_cast<index>(blockIdx.x) * kThreads + threadIdx.x; i < count;
       i += step) {
    problem.element(i, sink);
  }
  __syncthreads();

  for (unsigned bin = threadIdx.x; bin < private_bins; bin += kThreads) {
    value sum = value(0);
#pragma unroll
    for (unsigned c = 0; c < kCopies; ++c) sum += bins[bin * kCopies + (c + bin) % kCopies];
    if (sum != value(0)) problem.add(static_cast<int>(bin), sum);
  }
}
