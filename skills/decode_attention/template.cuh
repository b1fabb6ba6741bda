// Attention of single queries: the keys of a query are shared by the warps of one block, each group
// of lanes holds a key, and every group keeps its own running softmax until the end.

/// 16 bytes of a row.
template <class Element>
struct wm_attention_piece {
  static constexpr int kNumbers = 16 / sizeof(Element);
  uint4 bytes = {0u, 0u, 0u, 0u};

  /// Element by element where they are not aligned or where only `count` are there; zeros behind.
  __device__ __forceinline__ void load(const Element* from, int count) {
    if (reinterpret_cast<size_t>(from) % 16 == 0 && count >= kNumbers) {
      bytes = __ldg(reinterpret_cast<const uint4*>(from));
      return;
    }
    Element numbers[kNumbers];
#pragma unroll
    for (int i = 0; i < kNumbers; ++i) {
      numbers[i] = i < count ? from[i] : static_cast<Element>(0.0f);
    }
    memcpy(&bytes, numbers, 16);
  }
  __device__ __forceinline__ void get(float (&out)[kNumbers]) const {
    Element numbers[kNumbers];
    memcpy(numbers, &bytes, 16);
#pragma unroll
    for (int i = 0; i < kNumbers; ++i) out[i] = static_cast<float>(numbers[i]);
  }
};

/// One query by one warp, for rows of any length.
template <class Problem>
__device__ void wm_attention_by_warp(const Problem& problem, const typename Problem::wm_query& at) {
  const int lane = threadIdx.x % 32;
  const int dim = problem.dim();
  const float scale = problem.scale();
  const auto* query = problem.query_row(at);
  const auto dot = [&](int key) {
    const auto* row = problem.key_row(at, key);
    float sum = 0.0f;
    for (int i = lane; i < dim; i += 32) {
      sum += static_cast<float>(query[i]) * static_cast<float>(row[i]);
    }
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0u, sum, apart);
    return sum * scale;
  };
  const int first = problem.first(at);
  const int end = problem.length(at);
  float largest = -INFINITY;
  for (int key = first; key < end; ++key) {
    if (problem.seen(at, key)) largest = fmaxf(largest, dot(key));
  }
  for (int begin = 0; begin < dim; begin += 32) {
    float sum = 0.0f;
    float value = 0.0f;
    for (int key = first; key < end; ++key) {
      if (!problem.seen(at, key)) continue;
      const float weight = expf(dot(key) - largest);
      sum += weight;
      if (begin + lane < dim) {
        value += weight * static_cast<float>(problem.value_row(at, key)[begin + lane]);
      }
    }
    if (begin + lane < dim) {
      problem.output_row(at)[begin + lane] = problem.finished(at, begin + lane, value, sum);
    }
  }
}

/// What a group of lanes knows of its keys.
template <int kNumbers>
struct wm_attention_state {
  float largest = -INFINITY;
  float sum = 0.0f;
  float values[kNumbers] = {};

  __device__ __forceinline__ void raise(float score) {
    const float before = largest;
    largest = fmaxf(largest, score);
    const float factor = before == -INFINITY ? 0.0f : exp2f(before - largest);
    sum *= factor;
#pragma unroll
    for (int i = 0; i < kNumbers; ++i) values[i] *= factor;
  }
  /// Takes in what the lane `apart` lanes away knows.
  __device__ __forceinline__ void join_lane(int apart) {
    raise(__shfl_xor_sync(~0u, largest, apart));
    sum += __shfl_xor_sync(~0u, sum, apart);
#pragma unroll
    for (int i = 0; i < kNumbers; ++i) values[i] += __shfl_xor_sync(~0u, values[i], apart);
  }
};

/// The barrier of the threads that share a query.
template <int kQueries, int kWarps>
__device__ __forceinline__ void wm_attention_barrier(int query) {
  if constexpr (kWarps == 1) {
    __syncwarp();
  } else if constexpr (kQueries == 1) {
    __syncthreads();
  } else {
    asm volatile("bar.sync %0, %1;" ::"r"(query + 1), "n"(kWarps * 32) : "memory");
  }
}

/// Keys that one warp takes in at a time; all of them are on their way together.
template <class Problem, int kRow>
struct wm_attention_unit {
  using element = typename Problem::element;
  static constexpr int kNumbers = 16 / sizeof(element);  // that a lane holds of a row
  static constexpr int kLanes = kRow / kNumbers;         // that hold a row
  static constexpr int kRows = 32 / kLanes;              // rows of a warp in one load
  static constexpr int kSteps = kLanes < 4 ? kLanes : 4;
  static constexpr int kKeys = kRows * kSteps;
  static_assert(kLanes <= 32 && 32 % kLanes == 0, "a row is held by a power of two of lanes");

  /// Those of the keys from `begin` on whose bit of `seen` is set.
  __device__ __forceinline__ static void take(const Problem& problem,
                                              const typename Problem::wm_query& at,
                                              const float (&query)[kNumbers], float scale, int dim,
                                              int begin, unsigned seen,
                                              wm_attention_state<kNumbers>& state) {
    const int lane = threadIdx.x % 32;
    const int offset = lane % kLanes * kNumbers;
    wm_attention_piece<element> keys[kSteps];
    wm_attention_piece<element> values[kSteps];
    bool taken[kSteps];
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      const int in = step * kRows + lane / kLanes;
      taken[step] = seen >> in & 1u;
      if (taken[step]) {
        keys[step].load(problem.key_row(at, begin + in) + offset, dim - offset);
        values[step].load(problem.value_row(at, begin + in) + offset, dim - offset);
      }
    }
    float scores[kSteps];
    float largest = -INFINITY;
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      float key[kNumbers];
      keys[step].get(key);
      float dot = 0.0f;
#pragma unroll
      for (int i = 0; i < kNumbers; ++i) dot += query[i] * key[i];
#pragma unroll
      for (int apart = kLanes / 2; apart > 0; apart /= 2) {
        dot += __shfl_xor_sync(~0u, dot, apart);
      }
      scores[step] = taken[step] ? dot * scale : -INFINITY;
      largest = fmaxf(largest, scores[step]);
    }
    state.raise(largest);
#pragma unroll
    for (int step = 0; step < kSteps; ++step) {
      // A score that is no number stays one.
      const float weight = taken[step] ? exp2f(scores[step] - state.largest) : 0.0f;
      state.sum += weight;
      float value[kNumbers];
      values[step].get(value);
#pragma unroll
      for (int i = 0; i < kNumbers; ++i) state.values[i] += weight * value[i];
    }
  }
};

/// Number `which` of the units that hold a seen key, of 32 words of 32 keys; every lane has a word
/// and `before`, the units of the words in front of it.
template <int kKeys>
__device__ __forceinline__ int wm_attention_pick(unsigned word, int before, int which,
                                                 unsigned& seen) {
  constexpr unsigned kUnit = kKeys == 32 ? ~0u : (1u << kKeys % 32) - 1u;
  const int lane = 31 - __clz(static_cast<int>(__ballot_sync(~0u, before <= which)));
  unsigned rest = __shfl_sync(~0u, word, lane);
  int left = which - __shfl_sync(~0u, before, lane);
  int place = 0;
#pragma unroll
  for (int unit = 0; unit < 32 / kKeys; ++unit) {
    const unsigned part = rest >> unit * kKeys & kUnit;
    if (part == 0) continue;
    if (left == 0) {
      seen = part;
      place = unit;
    }
    --left;
  }
  return lane * 32 + place * kKeys;
}

/// A block has kQueries neighbours of a group, so that what they read of the same keys is read
/// from memory once; each of them has kWarps warps.
template <class Problem, int kRow, int kQueries, int kWarps>
__device__ __forceinline__ void wm_decode_attention(const Problem& problem) {
  using element = typename Problem::element;
  using unit = wm_attention_unit<Problem, kRow>;
  constexpr int kNumbers = unit::kNumbers;
  constexpr int kLanes = unit::kLanes;
  constexpr int kKeys = unit::kKeys;
  constexpr int kWords = 32;  // of masks that are known at one time
  __shared__ unsigned wm_masks[Problem::masks ? kQueries : 1][kWords];
  __shared__ float wm_largest[kQueries][kWarps];
  __shared__ float wm_sums[kQueries][kWarps];
  __shared__ float wm_values[kQueries][kWarps][kRow];

  const int lane = threadIdx.x % 32;
  const int query = threadIdx.x / (32 * kWarps);
  const int warp = threadIdx.x / 32 % kWarps;
  const int thread = threadIdx.x % (32 * kWarps);
  const unsigned group_size = problem.group();
  const unsigned blocks = (group_size + kQueries - 1u) / kQueries;
  const unsigned member = blockIdx.x % blocks * kQueries + query;
  if (member >= group_size) return;
  const unsigned number = blockIdx.x / blocks * group_size + member;
  const auto at = problem.at(number);
  if (!at.wm_exists) {
    problem.absent(number, thread, 32 * kWarps);
    return;
  }
  const int dim = problem.dim();
  if (dim > kRow) {
    if (warp == 0) wm_attention_by_warp(problem, at);
    return;
  }
  const float scale = problem.scale() * 1.4426950408889634f;
  const int first = problem.first(at);
  const int end = problem.length(at);
  const int offset = lane % kLanes * kNumbers;
  float numbers[kNumbers];
  {
    wm_attention_piece<element> piece;
    piece.load(problem.query_row(at) + offset, dim - offset);
    piece.get(numbers);
  }

  wm_attention_state<kNumbers> state;
  if constexpr (Problem::masks) {
    for (int begin = first; begin < end; begin += kWords * 32) {
      for (int word = warp; word < kWords; word += kWarps) {
        const int key = begin + word * 32 + lane;
        unsigned seen = 0;
        if (begin + word * 32 < end) {
          seen = __ballot_sync(~0u, key < end && problem.seen(at, key));
        }
        if (lane == 0) wm_masks[query][word] = seen;
      }
      wm_attention_barrier<kQueries, kWarps>(query);
      const unsigned word = wm_masks[query][lane];
      int units = 0;
#pragma unroll
      for (int i = 0; i < 32 / kKeys; ++i) {
        const unsigned part = kKeys == 32 ? word : word >> i * kKeys & ((1u << kKeys % 32) - 1u);
        units += part != 0;
      }
      int before = units;
#pragma unroll
      for (int apart = 1; apart < 32; apart *= 2) {
        const int others = __shfl_up_sync(~0u, before, apart);
        if (lane >= apart) before += others;
      }
      const int all = __shfl_sync(~0u, before, 31);
      before -= units;
#pragma unroll 1
      for (int which = warp; which < all; which += kWarps) {
        unsigned seen = 0;
        const int key = wm_attention_pick<kKeys>(word, before, which, seen);
        unit::take(problem, at, numbers, scale, dim, begin + key, seen, state);
      }
      wm_attention_barrier<kQueries, kWarps>(query);
    }
  } else {
#pragma unroll 1
    for (int begin = first + warp * kKeys; begin < end; begin += kWarps * kKeys) {
      const int left = end - begin;
      unit::take(problem, at, numbers, scale, dim, begin, left >= 32 ? ~0u : (1u << left) - 1u,
                 state);
    }
  }

#pragma unroll
  for (int apart = kLanes; apart < 32; apart *= 2) state.join_lane(apart);
  if (lane == 0) {
    wm_largest[query][warp] = state.largest;
    wm_sums[query][warp] = state.sum;
  }
  if (lane < kLanes) {
#pragma unroll
    for (int i = 0; i < kNumbers; ++i) wm_values[query][warp][offset + i] = state.values[i];
  }
  wm_attention_barrier<kQueries, kWarps>(query);
  float largest = -INFINITY;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) largest = fmaxf(largest, wm_largest[query][w]);
  for (int i = thread; i < dim; i += kWarps * 32) {
    float sum = 0.0f;
    float value = 0.0f;
#pragma unroll
    for (int w = 0; w < kWarps; ++w) {
      const float other = wm_largest[query][w];
      const float factor = other == -INFINITY ? 0.0f : exp2f(other - largest);
      // Without a key there is nothing, but what is no number stays.
      sum += wm_sums[query][w] * factor;
      value += wm_values[query][w][i] * factor;
    }
    problem.output_row(at)[i] = problem.finished(at, i, value, sum);
  }
}
