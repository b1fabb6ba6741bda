#pragma once
/// \file
/// Pointwise kernels whose threads get several elements in turn.

#include "agents/builtin/pointwise/pointwise_kernel.h"

#include <map>
#include <string>

namespace warpmind::agents::builtin {

/// Functions of the plan that test one element a thread, without elements that depend on each
/// other; `refusal`: why the first other one does not fit.
[[nodiscard]] std::map<const Function*, PointwiseKernel> one_element_kernels(const Scene& scene,
                                                                             std::string& refusal);

/// The guard (and what it guards) as `head { index; work }`: `head` is a loop over the 64-bit
/// number `counter` of the element, below `bound`.
[[nodiscard]] std::vector<TextEdit> element_loop_edits(const Scene& scene,
                                                       const PointwiseKernel& kernel,
                                                       const std::string& counter,
                                                       const std::string& head);

/// The bound as a 64-bit number.
[[nodiscard]] std::string wide_bound(const Scene& scene, const PointwiseKernel& kernel);

/// Elements of the largest timed launch of `function`; 0: not known.
[[nodiscard]] std::int64_t timed_elements(const Scene& scene, const PointwiseKernel& kernel);

}  // namespace warpmind::agents::builtin
