#pragma once
/// \file
/// The parts of a kernel whose blocks attend: scores of a query's keys in an array, their softmax,
/// the sum of value rows that it weights.

#include "agents/builtin/loops/parallel_loop.h"

#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// A condition of the kernel, and what it must be for a key to count.
struct KeyCondition {
  NodeId node = kNoNode;
  bool wanted = true;
};

/// What a dot product is multiplied with, or divided by.
struct ScoreFactor {
  NodeId node = kNoNode;
  bool divides = false;
};

struct AttentionKernel {
  const Function* function = nullptr;
  std::vector<NodeId> prologue;  ///< statements in front of the scores, those that leave included
  CountedLoop keys;              ///< writes the scores; its keys are numbered from 0
  CountedLoop dot;               ///< in it, over the numbers of a row
  NodeId query = kNoNode;        ///< the element that the dot product reads, a subscript
  NodeId key = kNoNode;
  std::vector<KeyCondition> seen;    ///< a key counts where all are as wanted
  std::vector<ScoreFactor> factors;  ///< of the dot product
  std::vector<NodeId> around_sum;  ///< declarations that what is stored needs: `inverse = 1 / sum`
  CountedLoop numbers;             ///< over the numbers of the output
  CountedLoop weighted;            ///< in it, over the keys
  NodeId value = kNoNode;          ///< the element that is weighted
  std::vector<NodeId> finish;      ///< statements between that loop and the store
  NodeId store = kNoNode;          ///< assignment of an element of the output
  const Local* total = nullptr;    ///< the weighted sum
  const Local* sum = nullptr;      ///< of the weights
  bool weights_are_divided = false;  ///< by their sum, in front of the weighted sum
};

/// Errors: not_found with one clause that says what stands in the way.
[[nodiscard]] Result<AttentionKernel> read_attention(const KernelBody& body);

}  // namespace warpmind::agents::builtin
