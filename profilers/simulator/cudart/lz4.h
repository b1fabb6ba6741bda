#pragma once
/// \file
/// One LZ4 block, as CUDA 12's nvcc compresses PTX.

#include <cstddef>
#include <optional>
#include <span>

namespace warpmind::simulator {

/// Bytes written to `out`, or nothing where the block is damaged or does not fit.
[[nodiscard]] std::optional<std::size_t> lz4_decompress(std::span<const char> block,
                                                        std::span<char> out);

}  // namespace warpmind::simulator
