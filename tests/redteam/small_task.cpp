#include "tests/redteam/small_task.h"

#include "profilers/lab/run_case.h"

#include <algorithm>

namespace warpmind::redteam {

Result<void> shrink_timed(Task& task, std::int64_t bytes) {
  for (Workload& workload : task.workloads) {
    if (!workload.timed) continue;
    while (true) {
      WARPMIND_TRY(const std::int64_t now, profilers::case_bytes(task, workload));
      if (now <= bytes) break;
      for (auto& [name, size] : workload.sizes) size = std::max<std::int64_t>(1, size / 2);
    }
  }
  return {};
}

}  // namespace warpmind::redteam
