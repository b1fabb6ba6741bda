#include "tests/redteam/small_task.h"

#include "profilers/lab/run_case.h"

#include <algorithm>

namespace warpmind::redteam {
namespace {

/// The least that a workload of the task gives each size: below it, indices may lead out of a
/// buffer.
Sizes least_sizes(const Task& task) {
  Sizes least;
  for (const Workload& workload : task.workloads) {
    for (const auto& [name, size] : workload.sizes) {
      const auto [at, is_new] = least.try_emplace(name, size);
      if (!is_new) at->second = std::min(at->second, size);
    }
  }
  return least;
}

bool halve_sizes(Sizes& sizes, const Sizes& least) {
  bool is_smaller = false;
  for (auto& [name, size] : sizes) {
    const std::int64_t half = std::max(least.at(name), size / 2);
    is_smaller = is_smaller || half < size;
    size = std::min(size, half);
  }
  return is_smaller;
}

}  // namespace

Result<void> shrink_timed(Task& task, std::int64_t bytes) {
  const Sizes least = least_sizes(task);
  for (Workload& workload : task.workloads) {
    if (!workload.timed) continue;
    while (true) {
      WARPMIND_TRY(const std::int64_t now, profilers::case_bytes(task, workload));
      if (now <= bytes || !halve_sizes(workload.sizes, least)) break;
    }
  }
  return {};
}

}  // namespace warpmind::redteam
