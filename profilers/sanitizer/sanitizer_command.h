#pragma once
/// \file
/// Where compute-sanitizer is, and how a runner is started below it.

#include "base/model/effort.h"
#include "base/result.h"
#include "profilers/sanitizer/sanitizer_report.h"
#include "profilers/worker_session.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// quick: none; normal: memcheck; strict: all four.
[[nodiscard]] std::vector<SanitizerTool> sanitizer_tools(Effort effort);

/// `configured`, else below `toolkit` (the folder above nvcc's bin/), else on PATH.
/// Errors: unavailable, saying where it was looked for and how to get it.
[[nodiscard]] Result<std::filesystem::path> find_sanitizer(const std::filesystem::path& configured,
                                                           const std::filesystem::path& toolkit);

/// Where `tool` writes, relative to the job directory.
[[nodiscard]] std::string sanitizer_log(SanitizerTool tool);

/// `place` with its runner below `tool`. Such a runner may start processes, and reach others in its
/// own network namespace: the tool starts the runner and talks to it.
[[nodiscard]] RunnerPlace sanitized_place(const RunnerPlace& place,
                                          const std::filesystem::path& program, SanitizerTool tool);

}  // namespace warpmind::profilers
