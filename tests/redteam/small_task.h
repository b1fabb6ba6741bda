#pragma once
/// \file
/// Timed workloads in a size that a corpus of kernels can afford.

#include "base/model/task.h"
#include "base/result.h"

#include <cstdint>

namespace warpmind::redteam {

/// Halves the sizes of each timed workload, none below what another workload has, until its buffers
/// hold at most `bytes`. Errors: invalid_argument for extents that cannot be evaluated.
[[nodiscard]] Result<void> shrink_timed(Task& task, std::int64_t bytes);

}  // namespace warpmind::redteam
