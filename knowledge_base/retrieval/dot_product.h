#pragma once
/// \file
/// Inner products as fast as the processor can: Debian's FAISS is built for the oldest x86-64, and
/// OpenBLAS takes processors that it does not know for old ones.

#include <cstddef>
#include <cstdint>

namespace warpmind::knowledge_base {

/// Sum of a[i] b[i].
[[nodiscard]] float dot_product(const float* a, const float* b, std::size_t count);

/// Sum of weights[i] codes[i].
[[nodiscard]] float dot_product(const float* weights, const std::uint8_t* codes, std::size_t count);

}  // namespace warpmind::knowledge_base
