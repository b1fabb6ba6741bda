#pragma once
/// \file
/// One case: its output files against what is expected of them.

#include "base/model/task.h"
#include "base/model/verdict.h"
#include "base/result.h"
#include "profilers/job/judge_job.h"
#include "profilers/judge/tolerance.h"

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::profilers {

[[nodiscard]] Result<std::vector<std::int64_t>> extents_of(const Argument& argument,
                                                           const Sizes& sizes);

/// A file that is missing or has another size is hopeless.
[[nodiscard]] OutputComparison compare_file(const std::filesystem::path& path,
                                            const Expected& expected, const ToleranceRule& rule);

/// Adds what came of output `name` of case `prepared`, and keeps the worst.
void add_output(Correctness& total, const PreparedCase& prepared, const std::string& name,
                const OutputComparison& compared);

}  // namespace warpmind::profilers
