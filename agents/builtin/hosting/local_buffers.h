#pragma once
/// \file
/// Device buffers that nobody but the launches of one run can see.

#include "agents/builtin/hosting/launch_sites.h"

#include <utility>
#include <vector>

namespace warpmind::agents::builtin {

/// Arguments of the run, as (launch of the run, position of the argument): each is a local pointer
/// of the function that is only declared, allocated, freed and passed to launches of this run. What
/// they point to need not hold anything after the run.
[[nodiscard]] std::vector<std::pair<std::size_t, std::size_t>> local_buffers(
    const CudaSource& program, const LaunchRun& run);

}  // namespace warpmind::agents::builtin
