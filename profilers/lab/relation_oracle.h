#pragma once
/// \file
/// Part of the full oracle: what must hold between runs of one kernel, whatever the reference says.
/// It sees what a wrong reference, or the given kernel in its place, hides.

#include "base/result.h"
#include "profilers/lab/judging.h"
#include "profilers/lab/oracle.h"

#include <cstdint>
#include <vector>

namespace warpmind::profilers {

struct RelationOrder {
  std::vector<const Workload*> workloads;
  std::int64_t groups = 1;    ///< of related runs for each relation and workload
  double baseline_error = 0;  ///< as in OracleOrder
};

/// Every relation that the task declares. Outputs are compared with each other within the
/// contract's tolerance. Errors: ours only.
[[nodiscard]] Result<OracleEnd> run_relations(Judging& judging, WorkerSession& runner,
                                              const BuiltKernel& candidate,
                                              const RelationOrder& order);

/// For a contract that allows runs to differ: three on the same inputs, no further apart than a
/// quarter of the tolerance.
[[nodiscard]] Result<OracleEnd> run_repetitions(Judging& judging, WorkerSession& runner,
                                                const BuiltKernel& candidate,
                                                const RelationOrder& order);

}  // namespace warpmind::profilers
