#pragma once
/// \file
/// Kernels with an expert's verdict each: cases/NAME is a task folder, and labels.toml says what
/// costs its kernel's time.

#include "base/model/bottleneck.h"
#include "base/model/task.h"
#include "base/result.h"

#include <filesystem>
#include <string>
#include <vector>

namespace warpmind::diagnosis {

struct LabelledCase {
  std::string name;
  std::vector<BottleneckClass> causes;  ///< each is right as the first cause
  std::string verdict;                  ///< the expert's one line
  std::vector<std::string> advice;      ///< what to do first; each is right
  Task task;
};

/// In the order of `directory`/labels.toml. Errors: as load_task; invalid_argument for a cause that
/// is no bottleneck class ("none" is at_limit).
[[nodiscard]] Result<std::vector<LabelledCase>> load_labelled_cases(
    const std::filesystem::path& directory);

}  // namespace warpmind::diagnosis
