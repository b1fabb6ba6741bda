#pragma once
/// \file
/// What a source shows before any compiler sees it. The sandbox, the judge and the clocks are the
/// walls; these rules only give an early and clear sentence.

#include "base/model/kernel.h"
#include "base/model/verdict.h"

#include <optional>
#include <string>
#include <string_view>

namespace warpmind::profilers {

struct StaticFinding {
  Outcome outcome = Outcome::build_failed;  ///< build_failed, or cheating for tricks of tier B
  std::string reason;
};

/// Nothing found: nullopt.
[[nodiscard]] std::optional<StaticFinding> check_statically(const Kernel& kernel);

/// Whether the source looks as if threads wait in a loop for what others write to memory. Says yes
/// rather too often: such kernels are simulated in one more order of blocks.
[[nodiscard]] bool may_poll_memory(std::string_view source);

}  // namespace warpmind::profilers
