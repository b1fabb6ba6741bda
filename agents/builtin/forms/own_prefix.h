#pragma once
/// \file
/// Kernels in which every thread sums its own prefix anew: `for (k = 0; k < i; ++k) sum += x[k];`
/// with `i` the number of the thread's output.

#include "agents/builtin/contraction/output_axes.h"
#include "agents/builtin/forms/scan_text.h"

#include <optional>
#include <vector>

namespace warpmind::agents::builtin {

struct OwnPrefix {
  CountedLoop loop;
  LoopFacts facts;
  bool is_inclusive = false;         ///< the output's own term is in
  std::vector<CarriedValue> values;  ///< their updates are left out
  std::vector<NodeId> before;        ///< statements in front of the loop, outermost first
  OutputAxis output;                 ///< its variable is where the loop ends
  std::optional<OutputAxis> row;
};

/// Of one launch of the plan. Errors: not_found with a clause. `body` is that of its function.
[[nodiscard]] Result<OwnPrefix> find_own_prefix(const Scene& scene, const KernelBody& body,
                                                const std::vector<SceneLaunch>& launches);

[[nodiscard]] ScanProblem own_prefix_problem(const KernelBody& body, const OwnPrefix& prefix);

}  // namespace warpmind::agents::builtin
