#pragma once
/// \file
/// What the simulator's runtime offers beyond CUDA's. With a GPU's runtime these do nothing.

#include <cstddef>

namespace warpmind::profilers {

/// Kernels may touch only `bytes` bytes from `before` bytes into `allocation`: red zones become
/// walls for reads, too.
void restrict_access(void* allocation, std::size_t before, std::size_t bytes);

/// The content counts as never written: a kernel that reads it before it writes is told so.
void forget_content(void* memory, std::size_t bytes);

/// Blocks and warps of later launches run in the opposite of the order that the settings say, or in
/// that order again. Whether they now run in the opposite one.
bool oppose_order(bool opposite);

}  // namespace warpmind::profilers
