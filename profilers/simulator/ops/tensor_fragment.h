#pragma once
/// \file
/// How the lanes of a warp hold a matrix. Source: PTX ISA 9.0, 9.7.14, "Matrix Fragments for …".
///
/// All fragments of mma are made of blocks of 8 rows. In a block, lane 4 * g + t holds `per_lane`
/// neighbouring elements of row g, from column t * per_lane on; so a register, seen as 32 words in
/// the order of the lanes, is the block row by row. Blocks follow each other down a tile of 16 rows
/// (8 where the matrix has no more), then along its columns, then tile by tile.
///
/// The matrices of one product are described as rows of the left factor (A), rows of the right
/// one's transpose (B holds 4-byte words of a column), and rows of the sum.
///
/// wmma leaves its layout open; here it is that of the mma.m16n8 instructions which sm_80 and later
/// make of it: m16n16 is two of them side by side, m32n8 two below each other, and m8n32 is the
/// transposed product with A and B changed over. Where a fragment has more registers than that
/// needs (f16: always eight), they repeat the first ones. All of it was read off an H200.

#include "profilers/simulator/exec/warp.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace warpmind::simulator {

/// Rows a lane group is spread over: lane / 4.
inline constexpr std::size_t kBlockRows = 8;
inline constexpr std::size_t kRowLanes = 4;  ///< that share a row

struct Fragment {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t tile_rows = kBlockRows;
  std::size_t element_bytes = 0;
  std::size_t per_lane = 1;
  std::size_t register_bytes = 4;

  struct Place {
    std::size_t row = 0;
    std::size_t column = 0;
  };

  [[nodiscard]] std::size_t block_columns() const { return kRowLanes * per_lane; }
  [[nodiscard]] std::size_t blocks() const {
    return rows / kBlockRows * (columns / block_columns());
  }
  [[nodiscard]] std::size_t block_registers() const {
    return per_lane * element_bytes / register_bytes;
  }
  [[nodiscard]] std::size_t registers() const { return blocks() * block_registers(); }
  /// Upper left element of a block.
  [[nodiscard]] Place place(std::size_t block) const {
    const std::size_t down = tile_rows / kBlockRows;
    const std::size_t along = columns / block_columns();
    const std::size_t tile = block / (down * along);
    return {tile * tile_rows + block % down * kBlockRows, block / down % along * block_columns()};
  }
};

/// m, n and k of a product as the fragments see it: rows x columns, with sums over `depth`.
struct ProductShape {
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t depth = 0;
};

/// "m16n8k16".
[[nodiscard]] std::optional<ProductShape> parse_shape(std::string_view name);

/// The left and the right factor, of elements of 1, 2, 4 or 8 bytes.
[[nodiscard]] Fragment left_fragment(const ProductShape& shape, std::size_t element_bytes);
[[nodiscard]] Fragment right_fragment(const ProductShape& shape, std::size_t element_bytes);
/// Two neighbouring elements a lane, in one register if they are of 2 bytes, else in two.
[[nodiscard]] Fragment sum_fragment(const ProductShape& shape, std::size_t element_bytes);

/// Reports the lanes that a .aligned instruction of the whole warp lacks.
void require_whole_warp(Warp& warp, const Instruction& instruction, Mask active);

}  // namespace warpmind::simulator
