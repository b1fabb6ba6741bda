#pragma once
/// \file
/// Inputs of runs between which a relation must hold, whatever the reference says.

#include "base/model/task.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::profilers {

/// Raw elements by argument.
using RawInputs = std::map<std::string, std::string>;

/// The result of one run as others predict it: sum over `terms` of factor x output of that run, its
/// slowest extent taken in `order` (empty = as it is).
struct RunPrediction {
  struct Term {
    std::size_t run = 0;
    double factor = 1;
  };
  std::size_t run = 0;  ///< that is predicted
  std::vector<Term> terms;
  std::vector<std::int64_t> order;
  double share = 1;  ///< of the tolerances of all runs together
};

struct RelatedRuns {
  std::vector<RawInputs> inputs;  ///< one a run
  std::vector<RunPrediction> predictions;
  std::string text;  ///< "scaling of x by 2"
};

/// Whether inputs are changed so that no rounding comes with it: scaled by powers of two, added
/// from multiples of 1/16 of at most 4, permuted.
[[nodiscard]] Result<RelatedRuns> relate(const Relation& relation, const Task& task,
                                         const Sizes& sizes, std::uint64_t seed);

/// Three runs on the same inputs, which may differ by a quarter of the tolerance.
[[nodiscard]] Result<RelatedRuns> repeat_runs(const Task& task, const Sizes& sizes,
                                              std::uint64_t seed);

}  // namespace warpmind::profilers
