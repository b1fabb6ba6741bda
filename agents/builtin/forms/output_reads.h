#pragma once
/// \file
/// What one output reads, and how much of it its neighbours read as well: probed at the output in
/// the middle of the largest timed launch.

#include "agents/builtin/forms/independent_outputs.h"

namespace warpmind::agents::builtin {

/// Outputs in a row over which loads are counted.
constexpr std::int64_t kWalked = 8;

struct OutputReads {
  /// Elements of one buffer, where each output reads the most.
  std::int64_t taps = 0;
  std::int64_t loads = 0;  ///< different elements of all buffers
  /// The same of kWalked outputs in a row along each named axis.
  std::array<std::int64_t, kNamedAxes> walked{};
  /// How far apart along each named axis outputs still share an element; at most kWalked - 1.
  std::array<std::int64_t, kNamedAxes> reach{};
  std::vector<std::int64_t> bytes_read, bytes_written;  ///< one a launch
};

/// Errors: not_found where an index depends on data, or a loop is too long for a window.
[[nodiscard]] Result<OutputReads> find_output_reads(const Scene& scene,
                                                    const IndependentOutputs& outputs);

}  // namespace warpmind::agents::builtin
