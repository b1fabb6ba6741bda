// Sums of products in registers, for float operands and results that functions name.
// A tile of one operand on its way to shared memory, term by term: tile[k][row].
template <int kExtent, int kDepth, bool kAlongDepth, int kVector, int kThreads>
struct wm_float_operand {
  static constexpr int kPitch = kExtent + 4;
  static constexpr int kPieces = kExtent * kDepth / kVector;
  static constexpr int kHeld = (kPieces + kThreads - 1) / kThreads;
  static constexpr int kAcross = (kAlongDepth ? kDepth : kExtent) / kVector;

  float held[kHeld][kVector];

  template <class Source>
  __device__ __forceinline__ void fetch(const Source& source, unsigned first, unsigned extent,
                                        unsigned from, unsigned depth) {
#pragma unroll
    for (int i = 0; i < kHeld; ++i) {
      const int piece = i * kThreads + static_cast<int>(threadIdx.x);
      const unsigned across = static_cast<unsigned>(piece % kAcross * kVector);
      const unsigned down = static_cast<unsigned>(piece / kAcross);
      const unsigned row = first + (kAlongDepth ? down : across);
      const unsigned term = from + (kAlongDepth ? across : down);
#pragma unroll
      for (int j = 0; j < kVector; ++j) held[i][j] = 0.0f;
      if ((kPieces % kThreads != 0 && piece >= kPieces) || row >= extent || term >= depth) continue;
      const float* const at = source(row, term);
      if (at == nullptr) continue;
      const unsigned left = kAlongDepth ? depth - term : extent - row;
      if (kVector == 4 && left >= 4u && (reinterpret_cast<size_t>(at) & 15u) == 0) {
        const float4 four = *reinterpret_cast<const float4*>(at);
        held[i][0] = four.x;
        held[i][kVector > 1 ? 1 : 0] = four.y;
        held[i][kVector > 2 ? 2 : 0] = four.z;
        held[i][kVector > 3 ? 3 : 0] = four.w;
      } else {
#pragma unroll
        for (int j = 0; j < kVector; ++j) {
          if (j < left) held[i][j] = at[j];
        }
      }
    }
  }

  __device__ __forceinline__ void store(float* tile) const {
#pragma unroll
    for (int i = 0; i < kHeld; ++i) {
      const int piece = i * kThreads + static_cast<int>(threadIdx.x);
      if (kPieces % kThreads != 0 && piece >= kPieces) continue;
      const int across = piece % kAcross * kVector;
      const int down = piece / kAcross;
#pragma unroll
      for (int j = 0; j < kVector; ++j) {
        tile[kAlongDepth ? (across + j) * kPitch + down : down * kPitch + across + j] = held[i][j];
      }
    }
  }
};

// The tail of every row and column of the tile of this block that exists, with the sum of
// left(row, k) * right(column, k) over all k < depth in order, where a null pointer stands for
// zero. A thread keeps kDown * kAcross sums, in groups of four neighbours.
template <int kRows, int kColumns, int kDepth, int kDown, int kAcross, bool kLeftAlongDepth,
          bool kRightAlongDepth, int kLeftVector, int kRightVector, class Left, class Right,
          class Outputs>
__device__ __forceinline__ void wm_contract_in_registers(unsigned first_row, unsigned rows,
                                                         unsigned first_column, unsigned columns,
                                                         unsigned depth, const Left& left,
                                                         const Right& right, const Outputs& outputs) {
  constexpr int kThreadsDown = kRows / kDown;
  constexpr int kThreadsAcross = kColumns / kAcross;
  constexpr int kThreads = kThreadsDown * kThreadsAcross;
  using LeftTile = wm_float_operand<kRows, kDepth, kLeftAlongDepth, kLeftVector, kThreads>;
  using RightTile = wm_float_operand<kColumns, kDepth, kRightAlongDepth, kRightVector, kThreads>;
  alignas(16) __shared__ float left_tiles[2][kDepth * LeftTile::kPitch];
  alignas(16) __shared__ float right_tiles[2][kDepth * RightTile::kPitch];
  const int down = static_cast<int>(threadIdx.x) / kThreadsAcross;
  const int across = static_cast<int>(threadIdx.x) % kThreadsAcross;
  float sums[kDown][kAcross];
#pragma unroll
  for (int i = 0; i < kDown; ++i) {
#pragma unroll
    for (int j = 0; j < kAcross; ++j) sums[i][j] = 0.0f;
  }
  LeftTile left_tile;
  RightTile right_tile;
  left_tile.fetch(left, first_row, rows, 0u, depth);
  right_tile.fetch(right, first_column, columns, 0u, depth);
  left_tile.store(left_tiles[0]);
  right_tile.store(right_tiles[0]);
  __syncthreads();
  int now = 0;
  for (unsigned from = 0; from < depth; from += kDepth) {
    const unsigned next = from + kDepth;
    const bool more = next < depth;
    if (more) {
      left_tile.fetch(left, first_row, rows, next, depth);
      right_tile.fetch(right, first_column, columns, next, depth);
    }
#pragma unroll
    for (int k = 0; k < kDepth; ++k) {
      float lefts[kDown];
      float rights[kAcross];
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
        lefts[i] = left_tiles[now][k * LeftTile::kPitch + i / 4 * kThreadsDown * 4 + down * 4 + i % 4];
      }
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
        rights[j] =
            right_tiles[now][k * RightTile::kPitch + j / 4 * kThreadsAcross * 4 + across * 4 + j % 4];
      }
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
#pragma unroll
        for (int j = 0; j < kAcross; ++j) sums[i][j] = fmaf(lefts[i], rights[j], sums[i][j]);
      }
    }
    if (more) {
      left_tile.store(left_tiles[now ^ 1]);
      right_tile.store(right_tiles[now ^ 1]);
    }
    __syncthreads();
    now ^= 1;
  }
  constexpr int kWide = Outputs::kWide < 4 ? Outputs::kWide : 4;
#pragma unroll
  for (int i = 0; i < kDown; ++i) {
    const unsigned row = first_row + static_cast<unsigned>(i / 4 * kThreadsDown * 4 + down * 4 + i % 4);
#pragma unroll
    for (int j = 0; j < kAcross; j += kWide) {
      const unsigned column =
          first_column + static_cast<unsigned>(j / 4 * kThreadsAcross * 4 + across * 4 + j % 4);
      outputs.template put<kWide>(row, rows, column, columns, &sums[i][j]);
    }
  }
}
