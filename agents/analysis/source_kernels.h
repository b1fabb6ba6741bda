#pragma once
/// \file
/// Where the kernels of a CUDA text stand, and which blocks its own text launches them with.

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::agents {

enum class BlockOrigin { launch, launch_bounds, source, assumed };
[[nodiscard]] std::string_view name_of(BlockOrigin origin);

struct SourceKernel {
  std::string name;           ///< without template arguments
  std::int64_t line = 0;      ///< from 1
  std::int64_t end_line = 0;  ///< of the last brace
  bool is_template = false;
  std::int64_t block_threads = 256;
  BlockOrigin block_origin = BlockOrigin::assumed;
  bool operator==(const SourceKernel&) const = default;
};

/// In the order of the text; half-written code gives those that can be made out. Blocks come from
/// launches in the same text whose extents are constants, else from __launch_bounds__, else 256 are
/// assumed. Errors: invalid_argument for text over 4 MiB or nested too deep.
[[nodiscard]] Result<std::vector<SourceKernel>> kernels_in(const std::string& source);

}  // namespace warpmind::agents
