#pragma once
/// \file
/// Launches whose elements add to counters at places that data name: histograms, weighted ones
/// too, with counters in memory, or in the block's shared memory and merged at the end.

#include "agents/builtin/loops/kernel_body.h"
#include "agents/builtin/pointwise/pointwise_kernel.h"

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// `atomicAdd(&counters[bin], value)`, or `counters[bin] += value` where only one thread runs.
struct ScatterAdd {
  NodeId node = kNoNode;  ///< the call or assignment; its value is not used
  NodeId bin = kNoNode;
  NodeId value = kNoNode;  ///< kNoNode: one
};

/// An array that every element reads at its own number.
struct ElementStream {
  std::string parameter;
  std::string type;
  std::vector<NodeId> nodes;  ///< expressions that stand for the element
};

struct ScatterLaunch {
  std::size_t launch = 0;  ///< in the plan
  const Function* function = nullptr;
  std::shared_ptr<const KernelBody> body;
  PointwiseKernel elements;
  std::string counters;  ///< pointer parameter
  std::vector<ScatterAdd> adds;
  std::vector<ElementStream> streams;
  std::set<NodeId> leaves;  ///< `continue` and `return` statements that end an element
};

/// What launch `index` of the plan adds up. Errors: not_found with one clause that says what stands
/// in the way.
[[nodiscard]] Result<ScatterLaunch> find_scatter_launch(const Scene& scene, std::size_t index);

}  // namespace warpmind::agents::builtin
