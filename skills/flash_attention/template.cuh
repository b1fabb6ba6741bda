// Attention of tiles of queries that share their keys: tensor cores multiply, the softmax runs along
// with the tiles of keys, and keys and values are on their way while the other product is formed.

/// One query by one warp, for rows of any length.
template <class Problem>
__device__ void wm_flash_by_warp(const Problem& problem, const typename Problem::wm_query& at) {
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

template <bool kBrain>
__device__ __forceinline__ void wm_flash_multiply(float (&sum)[4], const unsigned (&a)[4],
                                                  unsigned b0, unsigned b1) {
  if constexpr (kBrain) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  } else {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
}

/// Two numbers as a register of a fragment.
template <bool kBrain>
__device__ __forceinline__ unsigned wm_flash_pack(float low, float high) {
  unsigned pair;
  if constexpr (kBrain) {
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  } else {
    asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(high), "f"(low));
  }
  return pair;
}
/// One of the two; 0 is the low one.
template <class Element>
__device__ __forceinline__ float wm_flash_unpack(unsigned pair, int which) {
  const unsigned short bits = static_cast<unsigned short>(pair >> (which * 16));
  Element number;
  memcpy(&number, &bits, 2);
  return static_cast<float>(number);
}

__device__ __forceinline__ float wm_flash_exp2(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// Rows of kDim numbers of 16 bits in shared memory; pieces of 16 bytes are shuffled so that eight
/// rows meet all banks.
template <int kDim>
struct wm_flash_rows {
  static constexpr int kPieces = kDim / 8;
  static_assert(kPieces % 4 == 0, "rows of 32 numbers, or of more of them");

  __device__ __forceinline__ static unsigned offset(int row, int piece) {
    const int shuffled = kPieces % 8 == 0 ? piece ^ (row & 7) : piece ^ ((row >> 1) & 3);
    return static_cast<unsigned>(row * kPieces + shuffled) * 16u;
  }

  /// One piece of a row at `from`, of which `numbers` are there.
  template <class Element>
  __device__ __forceinline__ static void copy_piece(char* tile, unsigned place, const Element* from,
                                                    int numbers, bool wide) {
    if (from == nullptr || numbers <= 0) {
      *reinterpret_cast<uint4*>(tile + place) = uint4{0u, 0u, 0u, 0u};
    } else if (wide && numbers >= 8) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                       static_cast<unsigned>(__cvta_generic_to_shared(tile + place))),
                   "l"(__cvta_generic_to_global(from))
                   : "memory");
    } else {
      Element* const to = reinterpret_cast<Element*>(tile + place);
      for (int i = 0; i < 8; ++i) to[i] = i < numbers ? from[i] : static_cast<Element>(0.0f);
    }
  }
  /// `row_of(row)` for each of kRows rows, or nullptr for zeros.
  template <int kRows, int kThreads, class RowOf>
  __device__ __forceinline__ static void copy_each(char* tile, int numbers, const RowOf& row_of) {
    for (int at = threadIdx.x; at < kRows * kPieces; at += kThreads) {
      const int piece = at % kPieces;
      const auto* from = row_of(at / kPieces);
      const bool wide = reinterpret_cast<size_t>(from) % 16 == 0;
      copy_piece(tile, offset(at / kPieces, piece), from == nullptr ? from : from + piece * 8,
                 numbers - piece * 8, wide);
    }
  }
  /// Rows `stride` apart from `from` on; zeros outside of the rows [begin, end).
  template <int kRows, int kThreads, class Element>
  __device__ __forceinline__ static void copy(char* tile, int numbers, const Element* from,
                                              long long stride, int begin, int end, bool wide) {
    constexpr int kApart = kThreads / kPieces;
    if constexpr (kThreads % kPieces == 0 && kRows % kApart == 0) {
      // Every thread copies one piece of every so many rows.
      const int piece = threadIdx.x % kPieces;
      const int first = threadIdx.x / kPieces;
      from += first * stride + piece * 8;
#pragma unroll
      for (int n = 0; n < kRows / kApart; ++n) {
        const int row = first + n * kApart;
        copy_piece(tile, offset(row, piece), row >= begin && row < end ? from : nullptr,
                   numbers - piece * 8, wide);
        from += kApart * stride;
      }
    } else {
      for (int at = threadIdx.x; at < kRows * kPieces; at += kThreads) {
        const int row = at / kPieces;
        const int piece = at % kPieces;
        copy_piece(tile, offset(row, piece),
                   row >= begin && row < end ? from + row * stride + piece * 8 : nullptr,
                   numbers - piece * 8, wide);
      }
    }
  }
};

__device__ __forceinline__ void wm_flash_fragment(unsigned (&out)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
               : "r"(from)
               : "memory");
}
__device__ __forceinline__ void wm_flash_fragment_across(unsigned (&out)[4], unsigned from) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(out[0]), "=r"(out[1]), "=r"(out[2]), "=r"(out[3])
               : "r"(from)
               : "memory");
}

/// What the rows of a tile see: `word` of `row` has a bit for each of 32 keys.
template <int kRows, int kKeys>
struct wm_flash_masks {
  unsigned words[2][kRows][kKeys / 32];
};

template <class Problem, int kDim, int kRows, int kKeys, int kFragments>
struct wm_flash_block {
  using element = typename Problem::element;
  static constexpr int kThreads = kRows / (16 * kFragments) * 32;
  static constexpr int kSharedBytes = (kRows + 2 * kKeys) * kDim * 2;
  static constexpr bool kExactWeights = sizeof(typename Problem::output) > 2;
  static constexpr bool kKeepQueries = kFragments * kDim <= 128;
  using rows = wm_flash_rows<kDim>;

  struct shared_state {
    int first[kRows];
    int length[kRows];  ///< 0 of rows that take no part
    const element* key[kRows];
    const element* next_key[kRows];
    const element* value[kRows];
    const element* next_value[kRows];
    unsigned char left[kRows];
    int leader, begin, end, inner_begin, inner_end;
    wm_flash_masks<Problem::masks ? kRows : 1, Problem::masks ? kKeys : 32> masks;
  };
};

template <class Problem, int kDim, int kRows, int kKeys, int kFragments>
__device__ __forceinline__ void wm_flash_attention(const Problem& problem) {
  using block = wm_flash_block<Problem, kDim, kRows, kKeys, kFragments>;
  using element = typename Problem::element;
  using rows = wm_flash_rows<kDim>;
  constexpr int kThreads = block::kThreads;
  constexpr int kPerThread = (kRows + kThreads - 1) / kThreads;
  constexpr int kSteps = kDim / 16;
  constexpr bool kMasks = Problem::masks;
  constexpr bool kBrain = Problem::is_brain;
  extern __shared__ __align__(128) char wm_flash_tiles[];
  __shared__ typename block::shared_state wm_flash_state;
  auto& state = wm_flash_state;

  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  const unsigned group_size = problem.group();
  const unsigned tiles = (group_size + kRows - 1u) / kRows;
  const unsigned group = blockIdx.x / tiles;
  // The last queries often see the most keys: they start first.
  const unsigned first_member = (tiles - 1u - blockIdx.x % tiles) * kRows;
  const unsigned first_query = group * group_size + first_member;
  const int members = min(static_cast<int>(group_size - first_member), kRows);
  const int dim = problem.dim();
  const float scale = problem.scale() * 1.4426950408889634f;

  if (dim > kDim || !(scale > 0.0f)) {
    for (int member = warp; member < members; member += kThreads / 32) {
      const auto at = problem.at(first_query + member);
      if (at.wm_exists) {
        wm_flash_by_warp(problem, at);
      } else {
        problem.absent(first_query + member, lane, 32);
      }
    }
    return;
  }

  char* const query_tile = wm_flash_tiles;
  char* const key_tile = query_tile + kRows * kDim * 2;
  char* const value_tile = key_tile + kKeys * kDim * 2;
  const unsigned queries = static_cast<unsigned>(__cvta_generic_to_shared(query_tile));
  const unsigned keys = static_cast<unsigned>(__cvta_generic_to_shared(key_tile));
  const unsigned values = static_cast<unsigned>(__cvta_generic_to_shared(value_tile));

  // Queries to shared memory, and where their keys lie.
  {
    const auto row_of = [&](int row) -> const element* {
      if (row >= members) return nullptr;
      const auto at = problem.at(first_query + row);
      return at.wm_exists ? problem.query_row(at) : nullptr;
    };
    rows::template copy_each<kRows, kThreads>(query_tile, dim, row_of);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
#pragma unroll
  for (int n = 0; n < kPerThread; ++n) {
    const int row = n * kThreads + threadIdx.x;
    if (row >= kRows) break;
    bool left = false;
    if (row < members) {
      const auto at = problem.at(first_query + row);
      if (at.wm_exists) {
        left = true;
        const int first = problem.first(at);
        state.key[row] = problem.key_row(at, first);
        state.next_key[row] = problem.key_row(at, first + 1);
        state.value[row] = problem.value_row(at, first);
        state.next_value[row] = problem.value_row(at, first + 1);
      }
    }
    state.left[row] = left;
  }
  if (threadIdx.x == 0) state.leader = kRows;
  __syncthreads();
  for (int member = warp; member < members; member += kThreads / 32) {
    if (!state.left[member]) problem.absent(first_query + member, lane, 32);
  }

  while (true) {
    // The rows that share their keys with the first that is left.
    for (int row = threadIdx.x; row < kRows; row += kThreads) {
      if (state.left[row]) atomicMin(&state.leader, row);
    }
    if (threadIdx.x == 0) {
      state.begin = 0x7fffffff;
      state.end = 0;
      state.inner_begin = 0;
      state.inner_end = 0x7fffffff;
    }
    __syncthreads();
    const int leader = state.leader;
    if (leader == kRows) return;
    const auto of_leader = problem.at(first_query + leader);
    const int leader_first = problem.first(of_leader);
    for (int row = threadIdx.x; row < kRows; row += kThreads) {
      int first = 0;
      int length = 0;
      if (state.left[row]) {
        const auto at = problem.at(first_query + row);
        first = problem.first(at);
        const bool same = first == leader_first || row == leader
                              ? state.key[row] == state.key[leader] &&
                                    state.next_key[row] == state.next_key[leader] &&
                                    state.value[row] == state.value[leader] &&
                                    state.next_value[row] == state.next_value[leader]
                              : problem.key_row(at, leader_first) == state.key[leader] &&
                                    problem.key_row(at, leader_first + 1) == state.next_key[leader] &&
                                    problem.value_row(at, leader_first) == state.value[leader] &&
                                    problem.value_row(at, leader_first + 1) ==
                                        state.next_value[leader];
        if (same) {
          length = max(problem.length(at), first);
          state.left[row] = 2;
          atomicMin(&state.begin, first);
          atomicMax(&state.end, length);
        }
      }
      state.first[row] = first;
      state.length[row] = length;
      // Rows that take no part make no tile an inner one, but for those behind the last query.
      if (row < members) {
        atomicMax(&state.inner_begin, first);
        atomicMin(&state.inner_end, length);
      }
    }
    __syncthreads();
    const int end = state.end;
    const int inner_begin = state.inner_begin;
    const int inner_end = state.inner_end;
    const int whole_begin = state.begin;

    // The first tile from `begin` on that some row sees; its masks go to `buffer`.
    const auto next_tile = [&](int begin, int buffer) {
      if constexpr (kMasks) {
        for (; begin < end; begin += kKeys) {
          bool any = false;
#pragma unroll
          for (int n = 0; n < kPerThread; ++n) {
            const int row = n * kThreads + threadIdx.x;
            if (row >= kRows) break;
            const int first = state.first[row];
            const int length = state.length[row];
            if (length > begin && first < begin + kKeys) {
              const auto at = problem.at(first_query + row);
#pragma unroll 1
              for (int word = 0; word < kKeys / 32; ++word) {
                unsigned bits = 0;
#pragma unroll 8
                for (int bit = 0; bit < 32; ++bit) {
                  const int key = begin + word * 32 + bit;
                  const bool seen = key >= first && key < length && problem.seen(at, key);
                  bits |= static_cast<unsigned>(seen) << bit;
                }
                state.masks.words[buffer][row][word] = bits;
                any = any || bits != 0;
              }
            } else {
              for (int word = 0; word < kKeys / 32; ++word) {
                state.masks.words[buffer][row][word] = 0;
              }
            }
          }
          if (__syncthreads_or(any)) break;
        }
      }
      return begin;
    };
    // Rows of keys lie evenly spaced, and so do those of values.
    const long long key_stride = state.next_key[leader] - state.key[leader];
    const long long value_stride = state.next_value[leader] - state.value[leader];
    const element* const first_key = state.key[leader] - leader_first * key_stride;
    const element* const first_value = state.value[leader] - leader_first * value_stride;
    const auto is_wide = [&](const element* from, long long stride) {
      return reinterpret_cast<size_t>(from) % 16 == 0 && stride % 8 == 0;
    };
    const bool wide_keys = is_wide(first_key, key_stride);
    const bool wide_values = is_wide(first_value, value_stride);
    const auto load_keys = [&](int begin) {
      rows::template copy<kKeys, kThreads>(key_tile, dim, first_key + begin * key_stride, key_stride,
                                           whole_begin - begin, end - begin, wide_keys);
      asm volatile("cp.async.commit_group;" ::: "memory");
    };
    const auto load_values = [&](int begin) {
      rows::template copy<kKeys, kThreads>(value_tile, dim, first_value + begin * value_stride,
                                           value_stride, whole_begin - begin, end - begin,
                                           wide_values);
      asm volatile("cp.async.commit_group;" ::: "memory");
    };

    float sums[kFragments][kSteps * 2][4] = {};
    float largest[kFragments][2];
    float total[kFragments][2] = {};
#pragma unroll
    for (int f = 0; f < kFragments; ++f) largest[f][0] = largest[f][1] = -INFINITY;
    const int own_row = warp * 16 * kFragments + lane / 4;

    int buffer = 0;
    int begin = next_tile(whole_begin, buffer);
    if (begin < end) load_keys(begin);

    unsigned kept[block::kKeepQueries ? kFragments : 1][block::kKeepQueries ? kSteps : 1][4];
    const auto load_query = [&](unsigned (&out)[4], int f, int step) {
      const int row = (warp * kFragments + f) * 16 + lane % 16;
      wm_flash_fragment(out, queries + rows::offset(row, step * 2 + lane / 16));
    };
    if constexpr (block::kKeepQueries) {
      // Keys may still be on their way.
      if (begin < end) {
        asm volatile("cp.async.wait_group 1;" ::: "memory");
      } else {
        asm volatile("cp.async.wait_group 0;" ::: "memory");
      }
      __syncthreads();
#pragma unroll
      for (int f = 0; f < kFragments; ++f) {
#pragma unroll
        for (int step = 0; step < kSteps; ++step) load_query(kept[f][step], f, step);
      }
    }

    while (begin < end) {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
      __syncthreads();
      load_values(begin);

      float scores[kFragments][kKeys / 8][4] = {};
#pragma unroll
      for (int step = 0; step < kSteps; ++step) {
        unsigned a[kFragments][4];
#pragma unroll
        for (int f = 0; f < kFragments; ++f) {
          if constexpr (block::kKeepQueries) {
#pragma unroll
            for (int i = 0; i < 4; ++i) a[f][i] = kept[f][step][i];
          } else {
            load_query(a[f], f, step);
          }
        }
#pragma unroll
        for (int n = 0; n < kKeys / 16; ++n) {
          unsigned b[4];
          const int row = n * 16 + lane / 16 * 8 + lane % 8;
          wm_flash_fragment(b, keys + rows::offset(row, step * 2 + lane / 8 % 2));
#pragma unroll
          for (int f = 0; f < kFragments; ++f) {
            wm_flash_multiply<kBrain>(scores[f][2 * n], a[f], b[0], b[1]);
            wm_flash_multiply<kBrain>(scores[f][2 * n + 1], a[f], b[2], b[3]);
          }
        }
      }

      if (kMasks || begin < inner_begin || begin + kKeys > inner_end) {
#pragma unroll
        for (int f = 0; f < kFragments; ++f) {
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            const int row = own_row + f * 16 + half * 8;
            if constexpr (kMasks) {
#pragma unroll
              for (int n = 0; n < kKeys / 8; ++n) {
                const unsigned bits = state.masks.words[buffer][row][n / 4] >>
                                      (n % 4 * 8 + lane % 4 * 2);
                if (!(bits & 1u)) scores[f][n][half * 2] = -INFINITY;
                if (!(bits & 2u)) scores[f][n][half * 2 + 1] = -INFINITY;
              }
            } else {
              const int row_first = state.first[row];
              const int row_end = state.length[row];
#pragma unroll
              for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
                for (int i = 0; i < 2; ++i) {
                  const int key = begin + n * 8 + lane % 4 * 2 + i;
                  if (key < row_first || key >= row_end) scores[f][n][half * 2 + i] = -INFINITY;
                }
              }
            }
          }
        }
      }

#pragma unroll
      for (int f = 0; f < kFragments; ++f) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          float top = -INFINITY;
#pragma unroll
          for (int n = 0; n < kKeys / 8; ++n) {
            top = fmaxf(top, fmaxf(scores[f][n][half * 2], scores[f][n][half * 2 + 1]));
          }
          top = fmaxf(top, __shfl_xor_sync(~0u, top, 1));
          top = fmaxf(top, __shfl_xor_sync(~0u, top, 2));
          const float before = largest[f][half];
          const float now = fmaxf(before, top);
          largest[f][half] = now;
          const float base = now == -INFINITY ? 0.0f : now * scale;
          const float factor = before == -INFINITY ? 0.0f : wm_flash_exp2(before * scale - base);
          total[f][half] *= factor;
#pragma unroll
          for (int d = 0; d < kSteps * 2; ++d) {
            sums[f][d][half * 2] *= factor;
            sums[f][d][half * 2 + 1] *= factor;
          }
#pragma unroll
          for (int n = 0; n < kKeys / 8; ++n) {
#pragma unroll
            for (int i = 0; i < 2; ++i) {
              float& score = scores[f][n][half * 2 + i];
              score = wm_flash_exp2(fmaf(score, scale, -base));
              total[f][half] += score;
            }
          }
        }
      }

      asm volatile("cp.async.wait_group 0;" ::: "memory");
      __syncthreads();
      const int following = next_tile(begin + kKeys, buffer ^ 1);
      if (following < end) load_keys(following);

#pragma unroll
      for (int n = 0; n < kKeys / 16; ++n) {
        unsigned a[kFragments][4];
        unsigned rest[kFragments][4];
#pragma unroll
        for (int f = 0; f < kFragments; ++f) {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            float& low = scores[f][2 * n + i / 2][i % 2 * 2];
            float& high = scores[f][2 * n + i / 2][i % 2 * 2 + 1];
            a[f][i] = wm_flash_pack(low, high);
            if constexpr (block::kExactWeights) rest[f][i] = wm_flash_pack(low, high);
          }
        }
#pragma unroll
        for (int d = 0; d < kSteps; ++d) {
          unsigned b[4];
          const int row = n * 16 + lane % 16;
          wm_flash_fragment_across(b, values + rows::offset(row, d * 2 + lane / 16));
#pragma unroll
          for (int f = 0; f < kFragments; ++f) {
            wm_flash_multiply<kBrain>(sums[f][2 * d], a[f], b[0], b[1]);
            wm_flash_multiply<kBrain>(sums[f][2 * d + 1], a[f], b[2], b[3]);
            if constexpr (block::kExactWeights) {
              wm_flash_multiply<kBrain>(sums[f][2 * d], rest[f], b[0], b[1]);
              wm_flash_multiply<kBrain>(sums[f][2 * d + 1], rest[f], b[2], b[3]);
            }
          }
        }
      }
      begin = following;
      buffer ^= 1;
    }

#pragma unroll
    for (int f = 0; f < kFragments; ++f) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float sum = total[f][half];
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        const int row = own_row + f * 16 + half * 8;
        if (state.left[row] != 2) continue;
        const auto at = problem.at(first_query + row);
        auto* const out = problem.output_row(at);
#pragma unroll
        for (int d = 0; d < kSteps * 2; ++d) {
          const int i = d * 8 + lane % 4 * 2;
          if (i < dim) out[i] = problem.finished(at, i, sums[f][d][half * 2], sum);
          if (i + 1 < dim) out[i + 1] = problem.finished(at, i + 1, sums[f][d][half * 2 + 1], sum);
        }
      }
    }
    __syncthreads();
    for (int row = threadIdx.x; row < kRows; row += kThreads) {
      if (state.left[row] == 2) state.left[row] = 0;
    }
    if (threadIdx.x == 0) state.leader = kRows;
    __syncthreads();
  }
}
