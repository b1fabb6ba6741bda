#pragma once
/// \file
/// What one output reads, and how much of it its neighbours read as well: probed at the output in
/// the middle of the largest timed launch.

#include "agents/builtin/forms/independent_outputs.h"

namespace warpmind::agents::builtin {

struct OutputReads {
  /// Elements of one buffer, where each output reads the most.
  std::int64_t taps = 0;
  /// Of those, how many the next output along each named axis reads, too.
  std::array<std::int64_t, kNamedAxes> shared{};
  /// Elements of that buffer from one output to the next along axis 0; 0: they do not move.
  std::int64_t step = 0;
  std::vector<std::int64_t> bytes_read, bytes_written;  ///< one a launch
};

/// Errors: not_found where an index depends on data, or a loop is too long for a window.
[[nodiscard]] Result<OutputReads> find_output_reads(const Scene& scene,
                                                    const IndependentOutputs& outputs);

}  // namespace warpmind::agents::builtin
