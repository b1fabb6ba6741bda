#pragma once
/// \file
/// Pointers and numbers that walk through a kernel (`A += BK;` in the loop over tiles, a second
/// variable of a loop) as sums of what they started with and how often they were moved.

#include "agents/builtin/scene.h"

#include <string>

namespace warpmind::agents::builtin {

struct FixedPointers {
  std::string source;
  /// Where a loop stepped over tiles: the first term behind the last tile, as text.
  std::string end;
};

/// `kernel` of `source` with pointers that stay; it computes the same. What is not understood stays
/// as it is.
[[nodiscard]] FixedPointers with_fixed_pointers(std::string source, const std::string& kernel,
                                                const SceneLaunch& launch);

}  // namespace warpmind::agents::builtin
