#pragma once
/// \file
/// Registers that a rewrite spills to memory where the kernel that it edits does not.

#include "base/model/verdict.h"

#include <optional>
#include <string>

namespace warpmind::profilers {

/// Whether ptxas reports spilled bytes for any kernel of the build.
[[nodiscard]] bool spills(const BuildReport& build);

/// One sentence when `candidate` spills and `edited` does not.
[[nodiscard]] std::optional<std::string> describe_new_spills(const BuildReport& candidate,
                                                             const BuildReport& edited);

}  // namespace warpmind::profilers
