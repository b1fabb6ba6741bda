#include "tests/bench/validation/compared_point.h"

namespace warpmind::validation {

Result<void> predict_all(std::vector<ComparedPoint>& points, const DeviceSpec& device,
                         const simulator::ModelConstants& constants) {
  for (ComparedPoint& one : points) {
    const simulator::LaunchReport& report = one.simulated.report;
    simulator::KernelCounts counts{report.launch};
    counts.wave = report.wave ? &*report.wave : nullptr;
    counts.machine = one.machine ? &*one.machine : nullptr;
    WARPMIND_TRY(one.prediction, simulator::predict(counts, device, constants));
  }
  return {};
}

Tasks tasks_of(const std::vector<ComparedPoint>& points) {
  Tasks tasks;
  for (const ComparedPoint& one : points) {
    tasks[one.point.family + "/" + one.point.size].push_back(one.times());
  }
  return tasks;
}

}  // namespace warpmind::validation
