#pragma once
/// \file
/// What the judge leaves in a job directory, and where its seeds come from.

#include "base/model/task.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <string>

namespace warpmind::profilers {

/// `fixed`, or a number from getrandom where that is 0.
[[nodiscard]] Result<std::uint64_t> draw_seed(std::uint64_t fixed);

[[nodiscard]] Result<const Workload*> workload_named(const Task& task, const std::string& name);

/// in/ and out/.
[[nodiscard]] Result<void> make_job_directory(const std::filesystem::path& directory);

[[nodiscard]] Result<void> write_raw(const std::filesystem::path& path, const std::string& bytes);

}  // namespace warpmind::profilers
