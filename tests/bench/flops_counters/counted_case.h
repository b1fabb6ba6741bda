#pragma once
/// \file
/// One workload of a task as a folder that warpmind-worker launches once, with its counts.

#include "base/model/device.h"
#include "base/model/task.h"
#include "base/result.h"
#include "config/settings.h"
#include "profilers/flops/plan_count.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::bench {

/// Makes `folder` anew: bin/candidate, in/, job.json (a line for the worker's standard input) and
/// counts.json (a line for each launch). Launches are walked; where a condition depends on data,
/// the simulator executes them on the very inputs that lie in in/. Errors: as prepare_count().
[[nodiscard]] Result<std::vector<profilers::LaunchCount>> write_counted_case(
    const std::filesystem::path& folder, const Task& task, const Workload& workload,
    const DeviceSpec& device, const config::Settings& settings);

/// "f32 1024 flops (fadd 1024, …), walked", or why there is no count.
[[nodiscard]] std::string describe(const profilers::LaunchCount& count);

}  // namespace warpmind::bench
