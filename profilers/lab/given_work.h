#pragma once
/// \file
/// What the given kernel of a task does, for a limit where the task's cost model says nothing.

#include "base/limit.h"
#include "base/model/task.h"

#include <filesystem>

namespace warpmind::profilers {

/// Walks the launches of task.kernel on `workload` (profilers/flops). `binary` is the kernel as
/// built. What cannot be counted says why in `unknown`.
[[nodiscard]] CountedWork count_given_work(const Task& task, const Workload& workload,
                                           const std::filesystem::path& binary);

}  // namespace warpmind::profilers
