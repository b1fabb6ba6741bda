#pragma once
/// \file
/// Stage hidden_oracle: seeds and shapes that nobody could know, drawn after the kernel was built.

#include "base/result.h"
#include "profilers/lab/judging.h"
#include "profilers/lab/oracle.h"

#include <cstdint>
#include <vector>

namespace warpmind::profilers {

/// At least `count` workloads: the task's smallest one with every size that has a hidden range
/// drawn from it. Lower and upper halves of the ranges take turns. As many more, and one for each
/// range at least, straddle powers of two: one size is a power of two, one less or one more, beyond
/// its range up to the timed workloads' size as far as the CPU can follow; of each range the first
/// takes the largest. Without ranges there is one workload,
/// the smallest as it is: only its seeds are new.
[[nodiscard]] std::vector<Workload> draw_hidden_workloads(const Task& task, std::int64_t count,
                                                          std::uint64_t seed);

struct HiddenOrder {
  std::int64_t workloads = 2;
  OracleOrder each;      ///< without workloads, which are drawn
  bool explain = false;  ///< the given kernel: its author may know the shape that it fails on
};

/// `runner` must be fresh: the candidate has seen nothing in it. What the failure says names no
/// size and no element, because proposers read it. Errors: ours only.
[[nodiscard]] Result<OracleEnd> run_hidden_oracle(Judging& judging, WorkerSession& runner,
                                                  const BuiltKernel& candidate,
                                                  const HiddenOrder& order);

}  // namespace warpmind::profilers
