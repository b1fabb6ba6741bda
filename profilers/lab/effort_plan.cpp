#include "profilers/lab/effort_plan.h"

#include <algorithm>

namespace warpmind::profilers {
namespace {

/// DESIGN 7: the full oracle sees at least so many inputs of a workload.
constexpr std::int64_t kLeastSeeds = 5;
constexpr std::int64_t kLeastQuickSeeds = 2;
constexpr std::int64_t kStrictFactor = 3;

}  // namespace

EffortPlan plan_for(Effort effort, const config::LabSettings& settings) {
  EffortPlan plan;
  plan.seeds = std::max(kLeastSeeds, settings.check_seeds);
  switch (effort) {
    case Effort::quick:
      plan.seeds = std::max(kLeastQuickSeeds, settings.check_seeds / 3);
      plan.runs = 2;
      plan.hidden_workloads = 0;
      plan.relation_groups = 0;
      break;
    case Effort::normal: break;
    case Effort::strict:
      plan.seeds *= 2;
      plan.hidden_workloads *= kStrictFactor;
      plan.relation_groups = 2;
      plan.relations_everywhere = true;
      break;
  }
  return plan;
}

}  // namespace warpmind::profilers
