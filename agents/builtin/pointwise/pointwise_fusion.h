#pragma once
/// \file
/// Two launches that follow each other, as one: what the first writes for an element stays in a
/// register for the second.

#include "agents/builtin/scene.h"

#include <optional>
#include <string>

namespace warpmind::agents::builtin {

struct Fusion {
  std::optional<Kernel> kernel;
  std::string refusal;  ///< one clause, when there is none
};

/// Launches `first` and `first + 1` of the plan, both pointwise over the same elements. Buffers
/// that nobody else reads disappear together with their stores.
[[nodiscard]] Fusion fuse_elements(const Scene& scene, std::size_t first);

}  // namespace warpmind::agents::builtin
