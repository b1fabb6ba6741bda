#pragma once
/// \file
/// What changed between two texts, as people and `patch` read it.

#include "base/model/kernel.h"

#include <string>
#include <string_view>

namespace warpmind::clients {

struct DiffNames {
  std::string before;  ///< after "--- "
  std::string after;   ///< after "+++ "
};

/// Unified diff with three lines of context, by longest common subsequence of lines; empty for
/// equal texts. A changed middle of more than 16 million line pairs is shown as replaced whole.
[[nodiscard]] std::string unified_diff(std::string_view before, std::string_view after,
                                       const DiffNames& names);

/// The launch plan, entry and build flags of a kernel as lines, so that they can be compared.
[[nodiscard]] std::string launch_plan_text(const Kernel& kernel);

/// Diffs of source and of launch plan; empty when the kernels are equal.
[[nodiscard]] std::string kernel_diff(const Kernel& before, const Kernel& after);

}  // namespace warpmind::clients
