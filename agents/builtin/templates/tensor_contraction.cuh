// Sums of products on tensor cores, for operands and results that functions name.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <string.h>

// A tile of one operand on its way to shared memory: kExtent rows (or columns) times kDepth terms.
// kAlongDepth: neighbouring terms are neighbours in memory, else neighbouring rows are. kVector: how
// many of those are moved at a time when they are aligned.
template <class Element, int kExtent, int kDepth, bool kAlongDepth, int kVector, int kThreads>
struct wm_operand {
  static constexpr int kPitch = (kAlongDepth ? kDepth : kExtent) + 8;
  static constexpr int kElements = (kAlongDepth ? kExtent : kDepth) * kPitch;
  static constexpr int kPieces = kExtent * kDepth / kVector;
  static constexpr int kHeld = (kPieces + kThreads - 1) / kThreads;
  static constexpr int kAcross = (kAlongDepth ? kDepth : kExtent) / kVector;

  uint4 held[kVector > 1 ? kHeld : 1];

  static __device__ __forceinline__ unsigned across(int piece) {
    return static_cast<unsigned>(piece % kAcross * kVector);
  }
  static __device__ __forceinline__ unsigned down(int piece) {
    return static_cast<unsigned>(piece / kAcross);
  }

  // Memory to registers; the whole tile lies kVector at a time in `held`.
  template <class Source>
  __device__ __forceinline__ void fetch(const Source& source, unsigned first, unsigned extent,
                                        unsigned from, unsigned depth) {
    if constexpr (kVector > 1) {
#pragma unroll
      for (int i = 0; i < kHeld; ++i) {
        const int piece = i * kThreads + static_cast<int>(threadIdx.x);
        const unsigned row = first + (kAlongDepth ? down(piece) : across(piece));
        const unsigned term = from + (kAlongDepth ? across(piece) : down(piece));
        held[i] = make_uint4(0u, 0u, 0u, 0u);
        if ((kPieces % kThreads != 0 && piece >= kPieces) || row >= extent || term >= depth) continue;
        const Element* const at = source(row, term);
        const unsigned left = kAlongDepth ? depth - term : extent - row;
        if (left >= kVector && (reinterpret_cast<size_t>(at) & 15u) == 0) {
          held[i] = *reinterpret_cast<const uint4*>(at);
        } else {
          Element few[kVector];
          memset(few, 0, sizeof(few));
#pragma unroll
          for (int j = 0; j < kVector; ++j) {
            if (j < left) few[j] = at[j];
          }
          memcpy(&held[i], few, sizeof(few));
        }
      }
    }
  }

  // What fetch() left in the registers to shared memory.
  __device__ __forceinline__ void store(Element* tile) const {
    if constexpr (kVector > 1) {
#pragma unroll
      for (int i = 0; i < kHeld; ++i) {
        const int piece = i * kThreads + static_cast<int>(threadIdx.x);
        if (kPieces % kThreads != 0 && piece >= kPieces) continue;
        *reinterpret_cast<uint4*>(tile + down(piece) * kPitch + across(piece)) = held[i];
      }
    }
  }

  // Memory to shared memory, one element at a time.
  template <class Source>
  __device__ __forceinline__ void copy(Element* tile, const Source& source, unsigned first,
                                       unsigned extent, unsigned from, unsigned depth) const {
    if constexpr (kVector == 1) {
#pragma unroll 4
      for (int i = 0; i < kHeld; ++i) {
        const int piece = i * kThreads + static_cast<int>(threadIdx.x);
        if (kPieces % kThreads != 0 && piece >= kPieces) break;
        const unsigned row = first + (kAlongDepth ? down(piece) : across(piece));
        const unsigned term = from + (kAlongDepth ? across(piece) : down(piece));
        Element value = static_cast<Element>(0.0f);
        if (row < extent && term < depth) {
          if (const Element* const at = source(row, term)) value = *at;
        }
        tile[down(piece) * kPitch + across(piece)] = value;
      }
    }
  }
};

// The tail of every row and column of the tile of this block that exists, with the sum of
// left(row, k) * right(column, k) over all k < depth, where a null pointer stands for zero.
template <class Element, int kRows, int kColumns, int kDepth, int kWarpsDown, int kWarpsAcross,
          bool kLeftAlongDepth, bool kRightAlongDepth, int kLeftVector, int kRightVector, class Left,
          class Right, class Outputs>
__device__ __forceinline__ void wm_contract_on_tensor_cores(unsigned first_row, unsigned rows,
                                                            unsigned first_column, unsigned columns,
                                                            unsigned depth, const Left& left,
                                                            const Right& right,
                                                            const Outputs& outputs) {
  using namespace nvcuda;
  constexpr int kThreads = kWarpsDown * kWarpsAcross * 32;
  constexpr int kDown = kRows / kWarpsDown / 16;
  constexpr int kAcross = kColumns / kWarpsAcross / 16;
  using LeftTile = wm_operand<Element, kRows, kDepth, kLeftAlongDepth, kLeftVector, kThreads>;
  using RightTile = wm_operand<Element, kColumns, kDepth, kRightAlongDepth, kRightVector, kThreads>;
  using LeftLayout = std::conditional_t<kLeftAlongDepth, wmma::row_major, wmma::col_major>;
  using RightLayout = std::conditional_t<kRightAlongDepth, wmma::col_major, wmma::row_major>;
  constexpr int kTiles = (LeftTile::kElements + RightTile::kElements) * 2;
  constexpr int kStripPitch = kAcross * 16 + 4;
  constexpr int kStrips = kWarpsDown * kWarpsAcross * 16 * kStripPitch;
  constexpr int kTileBytes = kTiles * static_cast<int>(sizeof(Element));
  constexpr int kStripBytes = kStrips * static_cast<int>(sizeof(float));
  alignas(32) __shared__ unsigned char memory[kTileBytes > kStripBytes ? kTileBytes : kStripBytes];
  Element* const left_tiles = reinterpret_cast<Element*>(memory);
  Element* const right_tiles = left_tiles + 2 * LeftTile::kElements;
  const int warp = static_cast<int>(threadIdx.x) / 32;
  const int warp_row = warp / kWarpsAcross * kDown * 16;
  const int warp_column = warp % kWarpsAcross * kAcross * 16;

  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sums[kDown][kAcross];
#pragma unroll
  for (int i = 0; i < kDown; ++i) {
#pragma unroll
    for (int j = 0; j < kAcross; ++j) wmma::fill_fragment(sums[i][j], 0.0f);
  }
  LeftTile left_tile;
  RightTile right_tile;
  left_tile.fetch(left, first_row, rows, 0u, depth);
  right_tile.fetch(right, first_column, columns, 0u, depth);
  left_tile.store(left_tiles);
  right_tile.store(right_tiles);
  left_tile.copy(left_tiles, left, first_row, rows, 0u, depth);
  right_tile.copy(right_tiles, right, first_column, columns, 0u, depth);
  __syncthreads();
  int now = 0;
  for (unsigned from = 0; from < depth; from += kDepth) {
    const unsigned next = from + kDepth;
    const bool more = next < depth;
    Element* const next_left = left_tiles + (now ^ 1) * LeftTile::kElements;
    Element* const next_right = right_tiles + (now ^ 1) * RightTile::kElements;
    if (more) {
      left_tile.fetch(left, first_row, rows, next, depth);
      right_tile.fetch(right, first_column, columns, next, depth);
      left_tile.copy(next_left, left, first_row, rows, next, depth);
      right_tile.copy(next_right, right, first_column, columns, next, depth);
    }
    const Element* const a = left_tiles + now * LeftTile::kElements;
    const Element* const b = right_tiles + now * RightTile::kElements;
#pragma unroll
    for (int k = 0; k < kDepth; k += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, Element, LeftLayout> lefts[kDown];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, Element, RightLayout> rights[kAcross];
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
        const int row = warp_row + i * 16;
        wmma::load_matrix_sync(lefts[i],
                               a + (kLeftAlongDepth ? row * LeftTile::kPitch + k
                                                    : k * LeftTile::kPitch + row),
                               LeftTile::kPitch);
      }
#pragma unroll
      for (int j = 0; j < kAcross; ++j) {
        const int column = warp_column + j * 16;
        wmma::load_matrix_sync(rights[j],
                               b + (kRightAlongDepth ? column * RightTile::kPitch + k
                                                     : k * RightTile::kPitch + column),
                               RightTile::kPitch);
      }
#pragma unroll
      for (int i = 0; i < kDown; ++i) {
#pragma unroll
        for (int j = 0; j < kAcross; ++j) {
          wmma::mma_sync(sums[i][j], lefts[i], rights[j], sums[i][j]);
        }
      }
    }
    if (more) {
      left_tile.store(next_left);
      right_tile.store(next_right);
    }
    __syncthreads();
    now ^= 1;
  }
  // Sixteen rows of a warp at a time through shared memory, so that `finish` sees plain numbers.
  float* const strip = reinterpret_cast<float*>(memory) + warp * 16 * kStripPitch;
#pragma unroll
  for (int i = 0; i < kDown; ++i) {
#pragma unroll
    for (int j = 0; j < kAcross; ++j) {
      wmma::store_matrix_sync(strip + j * 16, sums[i][j], kStripPitch, wmma::mem_row_major);
    }
    __syncwarp();
    wm_put_strip<16, kAcross * 16>(outputs, strip, kStripPitch,
                                   first_row + static_cast<unsigned>(warp_row + i * 16), rows,
                                   first_column + static_cast<unsigned>(warp_column), columns);
    __syncwarp();
  }
}
