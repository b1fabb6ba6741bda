#pragma once
/// \file
/// Tails that end in one store of an element: what they write can be collected and written with its
/// neighbours.

#include "agents/builtin/syntax.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

struct WideTail {
  NodeId place = kNoNode;       ///< left side of the store
  std::string element;          ///< type of what is stored
  NodeId target = kNoNode;      ///< where
  std::vector<TextEdit> edits;  ///< make the store fill `wm_out` (a wm_output of tile_outputs.cuh)
};

/// nullopt when `function` writes to memory in more than one place besides `loops`, in a loop, or
/// otherwise than by a plain assignment of a number of 2 or 4 bytes.
[[nodiscard]] std::optional<WideTail> find_wide_tail(const CudaSource& source,
                                                     const Function& function, NodeId loops);

}  // namespace warpmind::agents::builtin
