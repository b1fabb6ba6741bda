#pragma once
/// \file
/// A kernel that is tiled already, written as it would be without its tiles: one thread an output
/// that reads what it needs from global memory. Every finder and technique then sees it as any
/// other. The plain kernel stands for itself only in proofs: a technique has to tile it anew.

#include "agents/builtin/scene.h"

#include <string>
#include <vector>

namespace warpmind::agents::builtin {

struct Untiled {
  Kernel kernel;
  /// One clause for each kernel that was untiled: "after undoing its tiles in shared memory 'As',
  /// 'Bs'", by its name.
  std::map<std::string, std::string> notes;
};

/// What could be untiled, and why not what could not: of each kernel that has arrays in shared
/// memory, by its name.
struct Untiling {
  std::optional<Untiled> untiled;
  std::map<std::string, std::string> refusals;
};

/// Found once for each scene.
[[nodiscard]] const Untiling& untiling_of(const Scene& scene);

}  // namespace warpmind::agents::builtin
