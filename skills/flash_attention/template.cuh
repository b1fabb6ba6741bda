// Attention of tiles of queries that share their keys: tensor cores multiply, the softmax runs
// along with the tiles of keys, and keys and values are on their way while the other product is
// formed.

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

/// Rows of kRow numbers of 16 bits in shared memory; pieces of 16 bytes are shuffled so that eight
/// rows meet all banks.
template <int kRow>
struct wm_flash_rows {
  static constexpr int kPieces = kRow / 8;
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
};

/// `row_of(row)` for each of kRows rows, or nullptr for zeros.
template <int kRow, int kRows, int kThreads, class RowOf>
__device__ __forceinline__ void wm_flash_copy_each(char* tile, int numbers, const RowOf& row_of) {
  using rows = wm_flash_rows<kRow>;
  constexpr int kPieces = rows::kPieces;
  for (int at = threadIdx.x; at < kRows * kPieces; at += kThreads) {
    const int piece = at % kPieces;
    const auto* from = row_of(at / kPieces);
    const bool wide = reinterpret_cast<size_t>(from) % 16 == 0;
    rows::copy_piece(tile, rows::offset(at / kPieces, piece),
                     from == nullptr ? from : from + piece * 8, numbers - piece * 8, wide);
  }
}
/// Rows `stride` apart from `from` on; zeros outside of the rows [begin, end).
template <int kRow, int kRows, int kThreads, class Element>
__device__ __forceinline__ void wm_flash_copy(char* tile, int numbers, const Element* from,
                                              long long stride, int begin, int end, bool wide) {
  using rows = wm_flash_rows<kRow>;
  constexpr int kPieces = rows::kPieces;
  constexpr int kApart = kThreads / kPieces;
  if constexpr (kThreads % kPieces == 0 && kRows % kApart == 0) {
    // Every thread copies one piece of every so many rows.
    const int piece = threadIdx.x % kPieces;
    const int first = threadIdx.x / kPieces;
    from += first * stride + piece * 8;
    if (wide && numbers == kRow && begin <= 0 && end >= kRows) {
      const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile));
#pragma unroll
      for (int n = 0; n < kRows / kApart; ++n) {
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         to + rows::offset(first + n * kApart, piece)),
                     "l"(__cvta_generic_to_global(from))
                     : "memory");
        from += kApart * stride;
      }
      return;
    }
#pragma unroll
    for (int n = 0; n < kRows / kApart; ++n) {
      const int row = first + n * kApart;
      rows::copy_piece(tile, rows::offset(row, piece), row >= begin && row < end ? from : nullptr,
                       numbers - piece * 8, wide);
      from += kApart * stride;
    }
  } else {
    for (int at = threadIdx.x; at < kRows * kPieces; at += kThreads) {
      const int row = at / kPieces;
      const int piece = at % kPieces;
      rows::copy_piece(tile, rows::offset(row, piece),
                       row >= begin && row < end ? from + row * stride + piece * 8 : nullptr,
                       numbers - piece * 8, wide);
    }
  }
}

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

template <class Problem, int kRow, int kRows, int kKeys, int kFragments, int kStages>
struct wm_flash_block {
  using element = typename Problem::element;
  using rows = wm_flash_rows<kRow>;
  static constexpr int kThreads = kRows / (16 * kFragments) * 32;
  static constexpr int kTileBytes = kKeys * kRow * 2;
  static constexpr int kSharedBytes = kRows * kRow * 2 + 2 * kStages * kTileBytes;
  static constexpr bool kExactWeights = sizeof(typename Problem::output) > 2;
  static constexpr bool kKeepQueries = kFragments * kRow <= 128;
  static constexpr int kMaskRows = Problem::masks ? kRows : 1;

  struct shared_state {
    typename Problem::wm_query at[kRows];
    int first[kRows];
    int length[kRows];  ///< 0 of rows that take no part
    const element* key[kRows];
    const element* next_key[kRows];
    const element* value[kRows];
    const element* next_value[kRows];
    unsigned char left[kRows];  ///< 1: has no result yet, 2: its keys are in work
    int leader, begin, end, inner_begin, inner_end;
    unsigned masks[kStages][kMaskRows][kKeys / 32];
  };
};

/// Masks that a launch in front has written: for each row of a group a word for 32 keys, and for
/// each 32 rows together whether one of them sees something. nullptr: none.
struct wm_flash_masks {
  const unsigned* words = nullptr;
  const unsigned* any = nullptr;
  unsigned length = 0;  ///< words of a row
};

template <class Problem, int kRow, int kRows, int kKeys, int kFragments, int kStages>
__device__ __forceinline__ void wm_flash_tile(const Problem& problem, wm_flash_masks given) {
  using block = wm_flash_block<Problem, kRow, kRows, kKeys, kFragments, kStages>;
  using element = typename Problem::element;
  using output = typename Problem::output;
  using rows = wm_flash_rows<kRow>;
  constexpr int kThreads = block::kThreads;
  constexpr int kPerThread = (kRows + kThreads - 1) / kThreads;
  constexpr int kSteps = kRow / 16;
  constexpr bool kMasks = Problem::masks;
  constexpr bool kBrain = Problem::is_brain;
  extern __shared__ uint4 wm_flash_tiles[];
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

  if (dim > kRow || !(scale > 0.0f)) {
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

  char* const query_tile = reinterpret_cast<char*>(wm_flash_tiles);
  char* const key_tiles = query_tile + kRows * kRow * 2;
  char* const value_tiles = key_tiles + kStages * block::kTileBytes;
  const unsigned queries = static_cast<unsigned>(__cvta_generic_to_shared(query_tile));
  const unsigned keys = static_cast<unsigned>(__cvta_generic_to_shared(key_tiles));
  const unsigned values = static_cast<unsigned>(__cvta_generic_to_shared(value_tiles));

  // Who the rows are, and where their keys lie.
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
        state.first[row] = first;
        state.length[row] = max(problem.length(at), first);
        state.key[row] = problem.key_row(at, first);
        state.next_key[row] = problem.key_row(at, first + 1);
        state.value[row] = problem.value_row(at, first);
        state.next_value[row] = problem.value_row(at, first + 1);
      }
      state.at[row] = at;
    }
    state.left[row] = left;
  }
  if (threadIdx.x == 0) state.leader = kRows;
  __syncthreads();
  {
    const auto row_of = [&](int row) -> const element* {
      return state.left[row] ? problem.query_row(state.at[row]) : nullptr;
    };
    wm_flash_copy_each<kRow, kRows, kThreads>(query_tile, dim, row_of);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
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
    const int leader_first = state.first[leader];
    // Rows of keys lie evenly spaced, and so do those of values.
    const long long key_stride = state.next_key[leader] - state.key[leader];
    const long long value_stride = state.next_value[leader] - state.value[leader];
    const element* const first_key = state.key[leader] - leader_first * key_stride;
    const element* const first_value = state.value[leader] - leader_first * value_stride;
    for (int row = threadIdx.x; row < members; row += kThreads) {
      bool same = state.left[row] != 0;
      if (same) {
        const int first = state.first[row];
        same = state.key[row] == first_key + first * key_stride &&
               state.next_key[row] == first_key + (first + 1) * key_stride &&
               state.value[row] == first_value + first * value_stride &&
               state.next_value[row] == first_value + (first + 1) * value_stride;
      }
      if (same) {
        state.left[row] = 2;
        atomicMin(&state.begin, state.first[row]);
        atomicMax(&state.end, state.length[row]);
      }
      // Rows that take no part make no tile an inner one, but for those behind the last query.
      atomicMax(&state.inner_begin, same ? state.first[row] : 0);
      atomicMin(&state.inner_end, same ? state.length[row] : 0);
    }
    __syncthreads();
    const int end = state.end;
    const int inner_begin = state.inner_begin;
    const int inner_end = state.inner_end;
    const int loaded_begin = state.begin;
    // Masks come in words of 32 keys.
    const int whole_begin = kMasks ? loaded_begin / 32 * 32 : loaded_begin;
    const bool is_given = given.words != nullptr && end <= static_cast<int>(given.length * 32);
    const auto is_in_work = [&](int row) { return row < members && state.left[row] == 2; };

    // The first tile from `begin` on that some row sees; where nobody has written the masks, they
    // go to that slot.
    const auto next_tile = [&](int begin, int slot) {
      if constexpr (kMasks) {
        if (is_given) {
          constexpr int kWords = kKeys / 32;
          for (int word = begin / 32; word * 32 < end;) {
            // 32 words at a time; words of the same tile count together.
            const int own = word + lane;
            unsigned any = 0;
            if (own * 32 < end) {
#pragma unroll
              for (int above = 0; above < (kRows + 31) / 32; ++above) {
                const unsigned rows_at = first_member / 32 + above;
                if (rows_at * 32 < group_size) any |= given.any[rows_at * given.length + own];
              }
            }
            const unsigned found = __ballot_sync(~0u, any != 0);
            if (found != 0) {
              const int at = (word + __ffs(static_cast<int>(found)) - 1) * 32;
              return begin + (at - begin) / (kWords * 32) * (kWords * 32);
            }
            word += 32;
          }
          return end;
        }
        for (; begin < end; begin += kKeys) {
          bool any = false;
#pragma unroll
          for (int n = 0; n < kPerThread; ++n) {
            const int row = n * kThreads + threadIdx.x;
            if (row >= kRows) break;
            const int first = is_in_work(row) ? state.first[row] : 0;
            const int length = is_in_work(row) ? state.length[row] : 0;
#pragma unroll 1
            for (int word = 0; word < kKeys / 32; ++word) {
              unsigned bits = 0;
              if (length > begin + word * 32 && first < begin + word * 32 + 32) {
#pragma unroll 8
                for (int bit = 0; bit < 32; ++bit) {
                  const int key = begin + word * 32 + bit;
                  const bool seen =
                      key >= first && key < length && problem.seen(state.at[row], key);
                  bits |= static_cast<unsigned>(seen) << bit;
                }
              }
              state.masks[slot][row][word] = bits;
              any = any || bits != 0;
            }
          }
          if (__syncthreads_or(any)) break;
        }
      }
      return begin;
    };
    const auto is_wide = [&](const element* from, long long stride) {
      return reinterpret_cast<size_t>(from) % 16 == 0 && stride % 8 == 0;
    };
    const bool wide_keys = is_wide(first_key, key_stride);
    const bool wide_values = is_wide(first_value, value_stride);
    const auto load = [&](int begin, int slot) {
      wm_flash_copy<kRow, kKeys, kThreads>(key_tiles + slot * block::kTileBytes, dim,
                                           first_key + begin * key_stride, key_stride,
                                           loaded_begin - begin, end - begin, wide_keys);
      wm_flash_copy<kRow, kKeys, kThreads>(value_tiles + slot * block::kTileBytes, dim,
                                           first_value + begin * value_stride, value_stride,
                                           loaded_begin - begin, end - begin, wide_values);
    };

    float sums[kFragments][kSteps * 2][4] = {};
    float largest[kFragments][2];
    float total[kFragments][2] = {};
#pragma unroll
    for (int f = 0; f < kFragments; ++f) largest[f][0] = largest[f][1] = -INFINITY;
    const int own_row = warp * 16 * kFragments + lane / 4;

    // Tiles in work and on their way; the first is the one in work.
    int begins[kStages];
    int upcoming = whole_begin;
#pragma unroll
    for (int stage = 0; stage + 1 < kStages; ++stage) {
      begins[stage] = next_tile(upcoming, stage);
      if (begins[stage] < end) load(begins[stage], stage);
      asm volatile("cp.async.commit_group;" ::: "memory");
      upcoming = begins[stage] + kKeys;
    }

    unsigned kept[block::kKeepQueries ? kFragments : 1][block::kKeepQueries ? kSteps : 1][4];
    const auto load_query = [&](unsigned(&out)[4], int f, int step) {
      const int row = (warp * kFragments + f) * 16 + lane % 16;
      wm_flash_fragment(out, queries + rows::offset(row, step * 2 + lane / 16));
    };
    if constexpr (block::kKeepQueries) {
      // Keys may still be on their way.
      asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 1) : "memory");
      __syncthreads();
#pragma unroll
      for (int f = 0; f < kFragments; ++f) {
#pragma unroll
        for (int step = 0; step < kSteps; ++step) load_query(kept[f][step], f, step);
      }
    }

    int slot = 0;
    while (begins[0] < end) {
      const int begin = begins[0];
      unsigned seen[kFragments][2][kKeys / 32];
      if constexpr (kMasks) {
        if (is_given) {
#pragma unroll
          for (int f = 0; f < kFragments; ++f) {
#pragma unroll
            for (int half = 0; half < 2; ++half) {
              const int row = own_row + f * 16 + half * 8;
#pragma unroll
              for (int word = 0; word < kKeys / 32; ++word) {
                const int at = begin / 32 + word;
                const bool is_there = is_in_work(row) && at < static_cast<int>(given.length);
                seen[f][half][word] =
                    is_there
                        ? given.words[static_cast<size_t>(first_member + row) * given.length + at]
                        : 0u;
              }
            }
          }
        }
      }
      asm volatile("cp.async.wait_group %0;" ::"n"(kStages - 2) : "memory");
      __syncthreads();
      {
        const int free = slot == 0 ? kStages - 1 : slot - 1;
        begins[kStages - 1] = next_tile(upcoming, free);
        if (begins[kStages - 1] < end) load(begins[kStages - 1], free);
        asm volatile("cp.async.commit_group;" ::: "memory");
        upcoming = begins[kStages - 1] + kKeys;
      }
      const unsigned key_tile = keys + slot * block::kTileBytes;
      const unsigned value_tile = values + slot * block::kTileBytes;

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
          wm_flash_fragment(b, key_tile + rows::offset(row, step * 2 + lane / 8 % 2));
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
                const unsigned word =
                    is_given ? seen[f][half][n / 4] : state.masks[slot][row][n / 4];
                const unsigned bits = word >> (n % 4 * 8 + lane % 4 * 2);
                if (!(bits & 1u)) scores[f][n][half * 2] = -INFINITY;
                if (!(bits & 2u)) scores[f][n][half * 2 + 1] = -INFINITY;
              }
            } else {
              const bool works = is_in_work(row);
              const int row_first = works ? state.first[row] : 0;
              const int row_end = works ? state.length[row] : 0;
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

#pragma unroll
      for (int n = 0; n < kKeys / 16; ++n) {
        unsigned a[kFragments][4];
        unsigned rest[kFragments][4];
#pragma unroll
        for (int f = 0; f < kFragments; ++f) {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            const float low = scores[f][2 * n + i / 2][i % 2 * 2];
            const float high = scores[f][2 * n + i / 2][i % 2 * 2 + 1];
            a[f][i] = wm_flash_pack<kBrain>(low, high);
            if constexpr (block::kExactWeights) {
              rest[f][i] = wm_flash_pack<kBrain>(low - wm_flash_unpack<element>(a[f][i], 0),
                                                 high - wm_flash_unpack<element>(a[f][i], 1));
            }
          }
        }
#pragma unroll
        for (int d = 0; d < kSteps; ++d) {
          unsigned b[4];
          const int row = n * 16 + lane % 16;
          wm_flash_fragment_across(b, value_tile + rows::offset(row, d * 2 + lane / 16));
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
#pragma unroll
      for (int stage = 0; stage + 1 < kStages; ++stage) begins[stage] = begins[stage + 1];
      slot = slot + 1 == kStages ? 0 : slot + 1;
    }

#pragma unroll
    for (int f = 0; f < kFragments; ++f) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        float sum = total[f][half];
        sum += __shfl_xor_sync(~0u, sum, 1);
        sum += __shfl_xor_sync(~0u, sum, 2);
        const int row = own_row + f * 16 + half * 8;
        if (!is_in_work(row)) continue;
        const auto& at = state.at[row];
        output* const out = problem.output_row(at);
        const bool in_pairs = sizeof(output) == 2 && reinterpret_cast<size_t>(out) % 4 == 0;
#pragma unroll
        for (int d = 0; d < kSteps * 2; ++d) {
          const int i = d * 8 + lane % 4 * 2;
          if (i >= dim) continue;
          output pair[2];
          pair[0] = problem.finished(at, i, sums[f][d][half * 2], sum);
          if (i + 1 < dim) pair[1] = problem.finished(at, i + 1, sums[f][d][half * 2 + 1], sum);
          if (in_pairs && i + 1 < dim) {
            unsigned bits;
            memcpy(&bits, pair, 4);
            *reinterpret_cast<unsigned*>(out + i) = bits;
          } else {
            out[i] = pair[0];
            if (i + 1 < dim) out[i + 1] = pair[1];
          }
        }
      }
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    for (int row = threadIdx.x; row < kRows; row += kThreads) {
      if (state.left[row] == 2) state.left[row] = 0;
    }
    if (threadIdx.x == 0) state.leader = kRows;
    __syncthreads();
  }
}

template <class Problem, int kRow, int kRows, int kKeys, int kFragments, int kStages>
__device__ __forceinline__ void wm_flash_attention(const Problem& problem) {
  wm_flash_tile<Problem, kRow, kRows, kKeys, kFragments, kStages>(problem, wm_flash_masks{});
}

/// Writes the masks of all rows of a group: a warp has a word of 32 rows.
template <class Problem, int kThreads>
__device__ __forceinline__ void wm_attention_masks(const Problem& problem, unsigned* words,
                                                   unsigned* any, unsigned length) {
  const unsigned lane = threadIdx.x % 32;
  const unsigned flat = blockIdx.x * (kThreads / 32) + threadIdx.x / 32;
  const unsigned word = flat % length;
  const unsigned first_row = flat / length * 32;
  const unsigned group_size = problem.group();
  if (first_row >= group_size) return;
  const int key = static_cast<int>(word * 32 + lane);
  unsigned all = 0;
#pragma unroll 4
  for (unsigned row = first_row; row < min(first_row + 32, group_size); ++row) {
    const auto at = problem.at(row);
    const bool sees = at.wm_exists && key >= problem.first(at) && key < problem.length(at) &&
                      problem.seen(at, key);
    const unsigned seen = __ballot_sync(~0u, sees);
    if (lane == 0) words[static_cast<size_t>(row) * length + word] = seen;
    all |= seen;
  }
  if (lane == 0) any[first_row / 32 * length + word] = all;
}

template <class Problem, int kRow, int kRows, int kKeys, int kFragments, int kStages>
__device__ __forceinline__ void wm_flash_attention_masked(const Problem& problem, unsigned* words,
                                                          unsigned* any, unsigned length) {
  wm_flash_tile<Problem, kRow, kRows, kKeys, kFragments, kStages>(
      problem, wm_flash_masks{words, any, length});
}
