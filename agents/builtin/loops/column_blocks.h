#pragma once
/// \file
/// Kernels in which a block walks down one column, and the next block down the next one: what
/// lets a few of them run side by side as one block.

#include "agents/builtin/loops/parallel_loop.h"
#include "agents/builtin/scene.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// A variable in shared memory of the body.
struct SharedVariable {
  const Local* local = nullptr;
  NodeId size = kNoNode;  ///< of an array; kNoNode: a scalar, or as large as the launch says
  bool is_dynamic = false;
};

struct ColumnBlocks {
  std::size_t axis = 0;  ///< of the grid along which the columns lie side by side
  std::vector<SharedVariable> shared;
  std::vector<NodeId> loops;    ///< along the columns
  std::vector<Reduction> sums;  ///< of these loops
  int element_bytes = 4;
  std::int64_t length = 1;     ///< elements of a column in the largest timed launch
  bool keeps_threads = false;  ///< fewer threads of a block would not do the same
  std::vector<NodeId> stores;  ///< statements that store to global memory
  std::string refusal;         ///< one clause
};

[[nodiscard]] ColumnBlocks find_column_blocks(const Scene& scene, const KernelBody& body);

/// Bytes of shared memory that a block of the largest launch takes; nullopt: not known.
[[nodiscard]] std::optional<std::int64_t> shared_bytes_of(const Scene& scene,
                                                          const KernelBody& body,
                                                          const ColumnBlocks& blocks);

}  // namespace warpmind::agents::builtin
