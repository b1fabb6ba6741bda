#pragma once
/// \file
/// What an effort buys: how many seeds, runs, hidden workloads and relations a kernel meets.

#include "base/model/effort.h"
#include "config/settings.h"

#include <cstdint>

namespace warpmind::profilers {

/// docs/lab.md has these numbers as a table.
struct EffortPlan {
  std::int64_t seeds = 6;             ///< of a workload in the full oracle
  std::int64_t runs = 3;              ///< of a case, bit-equal where the contract says so
  std::int64_t hidden_workloads = 2;  ///< 0 = no hidden oracle
  std::int64_t hidden_seeds = 2;      ///< of a hidden workload
  std::int64_t relation_groups = 1;  ///< of a relation on a workload; 0 = relations are not checked
  bool relations_everywhere = false;  ///< else on the smallest workload only
  double stage_seconds = 0;           ///< of a large workload in a stage; 0 = no limit
};

[[nodiscard]] EffortPlan plan_for(Effort effort, const config::LabSettings& settings);

}  // namespace warpmind::profilers
