#pragma once
/// \file
/// Compares outputs of several runs of one kernel with each other, within what the contract lets
/// each of them be off.

#include "base/model/dtype.h"
#include "profilers/judge/relation_inputs.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// One output of one run.
struct RunOutput {
  std::vector<double> values;
  std::vector<double> tolerances;  ///< of each element, absolute
};

struct RelationComparison {
  std::int64_t elements = 0;
  std::int64_t wrong = 0;
  double worst_ratio = 0;  ///< |got - predicted| / allowed; <= 1 passes
  std::size_t worst_index = 0;
  double got = 0;
  double predicted = 0;
  double allowed = 0;
};

/// Allowed is `share` times the sum of the runs' tolerances, each times its factor, of the element.
/// Elements that are not finite in a term are left out; one that only the predicted run lost is
/// hopeless unless it is near overflow.
[[nodiscard]] RelationComparison compare_related(const RunPrediction& prediction,
                                                 const std::vector<RunOutput>& runs, Dtype dtype,
                                                 std::size_t rows);

}  // namespace warpmind::profilers
