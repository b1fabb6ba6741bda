#pragma once
/// \file
/// The time below which no kernel of a task can be, and what sets it.

#include "base/enum_names.h"

#include <string>

namespace warpmind {

enum class LimitedBy {
  unknown,
  memory,      ///< DRAM: the bytes that a cold run has to move
  l2,          ///< the same for data that stays in L2
  arithmetic,  ///< at the precision that the contract allows
  launch       ///< of one kernel
};
WARPMIND_ENUM_NAMES(LimitedBy, {LimitedBy::unknown, "unknown"}, {LimitedBy::memory, "memory"},
                    {LimitedBy::l2, "l2"}, {LimitedBy::arithmetic, "arithmetic"},
                    {LimitedBy::launch, "launch"});

/// Of one run of a task on one workload; base/limit.h computes it. Share of the limit = ns / time.
struct Limit {
  double ns = 0;  ///< 0 = not known, and `unknown` says why
  LimitedBy by = LimitedBy::unknown;
  double bytes = 0;  ///< that every kernel has to move
  double flops = 0;
  double bandwidth_gb_s = 0;  ///< of the level that the bytes are served from
  double peak_gflops = 0;     ///< of the precision that the contract allows
  std::string peak = {};      ///< whose peak it is, "FP32"
  bool counted = false;       ///< flops are the given kernel's: the task has no cost model for them
  bool measured = false;     ///< launch and cold read were timed on this GPU; else the device table
  std::string unknown = {};  ///< one sentence
  bool operator==(const Limit&) const = default;
};

}  // namespace warpmind
