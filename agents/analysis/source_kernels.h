#pragma once
/// \file
/// Where the kernels of a CUDA text stand, and which blocks its own text launches them with.

#include "base/model/kernel_analysis.h"
#include "base/result.h"

#include <string>
#include <vector>

namespace warpmind::agents {

/// In the order of the text; half-written code gives those that can be made out. Blocks come from
/// launches in the same text whose extents are constants, else from __launch_bounds__, else 256 are
/// assumed. Errors: invalid_argument for text over 4 MiB or nested too deep.
[[nodiscard]] Result<std::vector<SourceKernel>> kernels_in(const std::string& source);

}  // namespace warpmind::agents
