// Sums of products on tensor cores (mma.sync) from several tiles in flight, from sm_80 on.
// Four 8x8 matrices of 16-bit elements, turned around where kTurned, or 8x4 of 32-bit elements; each
// lane names a line.
template <bool kTurned>
__device__ __forceinline__ void wm_load_matrices(unsigned (&to)[4], unsigned at) {
  if constexpr (kTurned) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at)
                 : "memory");
  } else {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at)
                 : "memory");
  }
}

__device__ __forceinline__ unsigned wm_load_word(unsigned at) {
  unsigned word;
  asm volatile("ld.shared.b32 %0, [%1];" : "=r"(word) : "r"(at) : "memory");
  return word;
}
// The same of 32-bit elements that lie along rows: eight lines, two units apart for eight rows.
template <bool kLeft>
__device__ __forceinline__ void wm_load_turned_words(unsigned (&to)[4], unsigned at) {
  to[0] = wm_load_word(at);
  to[kLeft ? 1 : 2] = wm_load_word(at ^ 32u);
  to[kLeft ? 2 : 1] = wm_load_word(at + 512u);
  to[3] = wm_load_word((at ^ 32u) + 512u);
}
// As tensor cores take it: a float rounded to eleven bits of mantissa.
template <class Element>
__device__ __forceinline__ void wm_round_words(unsigned (&words)[4]) {
  if constexpr (sizeof(Element) == 4) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(words[i]) : "f"(__uint_as_float(words[i])));
    }
  }
}

__device__ __forceinline__ void wm_multiply_add(float (&sums)[4], const unsigned (&left)[4],
                                                unsigned right_low, unsigned right_high, float) {
  asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right_low), "r"(right_high));
}
__device__ __forceinline__ void wm_multiply_add(float (&sums)[4], const unsigned (&left)[4],
                                                unsigned right_low, unsigned right_high, __half) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right_low), "r"(right_high));
}
__device__ __forceinline__ void wm_multiply_add(float (&sums)[4], const unsigned (&left)[4],
                                                unsigned right_low, unsigned right_high,
                                                __nv_bfloat16) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
      "{%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])
      : "r"(left[0]), "r"(left[1]), "r"(left[2]), "r"(left[3]), "r"(right_low), "r"(right_high));
}

// The tail of every row and column of the tile of this block that exists, with the sum of
// left(row, k) * right(column, k) over all k < depth. Both operands are contiguous in one direction.
template <class Element, int kRows, int kColumns, int kDepth, int kWarpsDown, int kWarpsAcross,
          int kStages, bool kLeftAlongDepth, bool kRightAlongDepth, bool kLeftLinear,
          bool kRightLinear, class Left, class Right, class Outputs>
__device__ __forceinline__ void wm_contract_staged(unsigned first_row, unsigned rows,
                                                   unsigned first_column, unsigned columns,
                                                   unsigned depth, const Left& left,
                                                   const Right& right, const Outputs& outputs) {
  constexpr int kThreads = kWarpsDown * kWarpsAcross * 32;
  constexpr int kDown = kRows / kWarpsDown / 16;
  constexpr int kAcross = kColumns / kWarpsAcross / 8;  // two a load
  using LeftTile = wm_staged_operand<Element, kRows, kDepth, kLeftAlongDepth, kLeftLinear, kThreads>;
  using RightTile =
      wm_staged_operand<Element, kColumns, kDepth, kRightAlongDepth, kRightLinear, kThreads>;
  constexpr unsigned kStageBytes = LeftTile::kBytes + RightTile::kBytes;
  constexpr bool kWords = sizeof(Element) == 4;
  constexpr unsigned kStep = 32 / sizeof(Element);  // terms of a product
  alignas(1024) extern __shared__ unsigned char wm_stages[];
  const unsigned stages = wm_shared_address(wm_stages);
  const unsigned lane = threadIdx.x % 32;
  const unsigned warp = threadIdx.x / 32;
  const unsigned warp_row = warp / kWarpsAcross * kDown * 16;
  const unsigned warp_column = warp % kWarpsAcross * kAcross * 8;

  // What each lane names of the tile for the first product.
  unsigned left_at[kDown];
  unsigned right_at[kAcross / 2];
#pragma unroll
  for (int i = 0; i < kDown; ++i) {
    const unsigned row = warp_row + i * 16;
    left_at[i] = kLeftAlongDepth ? LeftTile::offset(row + lane % 16, lane / 16)
                 : kWords ? LeftTile::offset(lane % 4, (row + lane / 4) / 4) + lane / 4 % 4 * 4
                          : LeftTile::offset(lane / 16 * 8 + lane % 8, row / 8 + lane / 8 % 2);
  }
#pragma unroll
  for (int j = 0; j < kAcross / 2; ++j) {
    const unsigned column = warp_column + j * 16;
    right_at[j] =
        LeftTile::kBytes +
        (kRightAlongDepth ? RightTile::offset(column + lane / 16 * 8 + lane % 8, lane / 8 % 2)
                         : kWords ? RightTile::offset(lane % 4, (column + lane / 4) / 4) + lane / 4 % 4 * 4
                  : RightTile::offset(lane % 16, column / 8 + lane / 16));
  }
  float sums[kDown][kAcross][4];
#pragma unroll
  for (int i = 0; i < kDown; ++i) {
#pragma unroll
    for (int j = 0; j < kAcross; ++j) {
#pragma unroll
      for (int e = 0; e < 4; ++e) sums[i][j][e] = 0.0f;
    }
  }
  LeftTile left_tile;
  RightTile right_tile;
  left_tile.start(left, first_row, rows, depth);
  right_tile.start(right, first_column, columns, depth);
  const auto copy = [&](unsigned stage, unsigned from) {
    const unsigned to = stage * kStageBytes;
    if (from < depth) {
      left_tile.copy(left, stages + to, wm_stages + to, from);
      right_tile.copy(right, stages + to + LeftTile::kBytes, wm_stages + to + LeftTile::kBytes,
                      from);
    }
    wm_commit_copies();  // an empty group keeps the count right
  };
#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) copy(s, s * kDepth);
  unsigned now = 0;
  unsigned next = kStages - 1;
  for (unsigned from = 0; from < depth; from += kDepth) {
    wm_wait_for_copies<kStages - 2>();
    __syncthreads();  // the tile is there for all, and nobody reads the one before it any more
    copy(next, from + (kStages - 1) * kDepth);
    const unsigned tile = stages + now * kStageBytes;
#pragma unroll
    for (int k = 0; k < kDepth / static_cast<int>(kStep); ++k) {
      unsigned lefts[kDown][4];
      unsigned rights[kAcross / 2][4];
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
        const unsigned at = tile + (kLeftAlongDepth ? left_at[i] ^ (k * 32u)
                                                    : left_at[i] + k * kStep * LeftTile::kPanelBytes);
        if constexpr (kWords && !kLeftAlongDepth) {
          wm_load_turned_words<true>(lefts[i], at);
        } else {
          wm_load_matrices<!kLeftAlongDepth>(lefts[i], at);
        }
        wm_round_words<Element>(lefts[i]);
      }
#pragma unroll
      for (int j = 0; j < kAcross / 2; ++j) {
        const unsigned at =
            tile + (kRightAlongDepth ? right_at[j] ^ (k * 32u)
                                     : right_at[j] + k * kStep * RightTile::kPanelBytes);
        if constexpr (kWords && !kRightAlongDepth) {
          wm_load_turned_words<false>(rights[j], at);
        } else {
          wm_load_matrices<!kRightAlongDepth>(rights[j], at);
        }
        wm_round_words<Element>(rights[j]);
      }
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
#pragma unroll
        for (int j = 0; j < kAcross; ++j) {
          wm_multiply_add(sums[i][j], lefts[i], rights[j / 2][j % 2 * 2],
                          rights[j / 2][j % 2 * 2 + 1], Element());
        }
      }
    }
    now = now + 1 == kStages ? 0u : now + 1;
    next = next + 1 == kStages ? 0u : next + 1;
  }
  wm_wait_for_copies<0>();
  __syncthreads();
  // Sixteen rows of a warp at a time through shared memory, so that the tail sees neighbours.
  constexpr int kPitch = kAcross * 8 + 8;
  float* const strip = reinterpret_cast<float*>(wm_stages) + warp * 16 * kPitch;
#pragma unroll
  for (int i = 0; i < kDown; ++i) {
#pragma unroll
    for (int j = 0; j < kAcross; ++j) {
      float* const to = strip + lane / 4 * kPitch + j * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(to) = make_float2(sums[i][j][0], sums[i][j][1]);
      *reinterpret_cast<float2*>(to + 8 * kPitch) = make_float2(sums[i][j][2], sums[i][j][3]);
    }
    __syncwarp();
    wm_put_strip<16, kAcross * 8>(outputs, strip, kPitch, first_row + warp_row + i * 16, rows,
                                  first_column + warp_column, columns);
    __syncwarp();
  }
}
