#pragma once
/// \file
/// Inner products as fast as the processor can: Debian's FAISS is built for the oldest x86-64, and
/// OpenBLAS takes processors that it does not know for old ones.

#include <array>
#include <cstddef>
#include <cstdint>

namespace warpmind::knowledge_base {

/// Sum of a[i] b[i].
[[nodiscard]] float dot_product(const float* a, const float* b, std::size_t count);

/// Products of kBlockRows rows with kBlockColumns others: each is loaded once for several of them,
/// which makes comparing many with many twice as fast.
inline constexpr std::size_t kBlockRows = 4;
inline constexpr std::size_t kBlockColumns = 2;
using ProductBlock = std::array<float, kBlockRows * kBlockColumns>;  ///< row by row
/// Rows and columns lie one after the other, `count` numbers each.
[[nodiscard]] ProductBlock dot_products(const float* rows, const float* columns, std::size_t count);

/// Sum of weights[i] codes[i].
[[nodiscard]] float dot_product(const float* weights, const std::uint8_t* codes, std::size_t count);

}  // namespace warpmind::knowledge_base
