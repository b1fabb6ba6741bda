#pragma once
/// \file
/// What kernels do, by walking their code: the given one for a limit where the task's cost model
/// says nothing, any of them for the flops of each launch.

#include "base/limit.h"
#include "base/model/profile.h"
#include "base/model/task.h"

#include <filesystem>

namespace warpmind::profilers {

/// Walks the launches of task.kernel on `workload` (profilers/flops). `binary` is the kernel as
/// built. What cannot be counted says why in `unknown`.
[[nodiscard]] CountedWork count_given_work(const Task& task, const Workload& workload,
                                           const std::filesystem::path& binary);

/// Flops of each launch of `kernel`, as the simulator names them (warpmind__flops_f16, …), into the
/// launches of `profile`. Launches whose flops depend on data stay without.
void add_counted_flops(const Task& task, const Kernel& kernel, const Workload& workload,
                       const std::filesystem::path& binary, Profile& profile);

}  // namespace warpmind::profilers
