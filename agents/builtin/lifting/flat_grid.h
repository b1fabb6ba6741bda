#pragma once
/// \file
/// Kernels that take any block size, as long as the grid follows it.

#include "agents/builtin/syntax.h"

#include <optional>
#include <string>

namespace warpmind::agents::builtin {

struct FlatAxis {
  std::string variable;  ///< `i` of `int i = blockIdx.x * blockDim.x + threadIdx.x;`
  std::string bound;     ///< what it is compared with: `n` of `i < n`, `n <= i`; plain text
};

/// Set when the kernel looks at the axis ('x', 'y', 'z') of block and thread only as the number of
/// the thread in the grid, and compares that with a bound; `blockDim.x * gridDim.x` may step a
/// loop. Not for kernels whose threads work together, or that fix their block by __launch_bounds__.
[[nodiscard]] std::optional<FlatAxis> flat_axis(const CudaSource& source, const Function& kernel,
                                                char axis);

}  // namespace warpmind::agents::builtin
