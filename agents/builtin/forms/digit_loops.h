#pragma once
/// \file
/// Loops over digits that a sort pass needs before it: counting, and summing counts to starts.

#include "agents/builtin/forms/sort_pass_launch.h"

#include <optional>
#include <string>

namespace warpmind::agents::builtin {

/// `for (d = 0; d < bound; ++d) { starts[d] = sum; sum += counts[d]; }` from sum = 0; it does
/// nothing else.
struct SumLoop {
  CountedLoop loop;
  std::string counts, starts;  ///< arrays, which may be the same
};
[[nodiscard]] std::optional<SumLoop> sum_loop(const KernelBody& body, NodeId loop);

/// Of a pass whose starts are an array of the kernel: the parameter whose counts they are summed
/// from; empty: the kernel counts its keys itself. Errors: not_found with a clause, when the loops
/// in front of the pass do anything else.
[[nodiscard]] Result<std::string> counts_of_own_starts(const Scene& scene,
                                                       const SortPassLaunch& pass);

}  // namespace warpmind::agents::builtin
