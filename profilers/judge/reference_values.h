#pragma once
/// \file
/// What a task's reference says about raw inputs.

#include "base/expression.h"
#include "base/model/task.h"
#include "base/result.h"
#include "profilers/judge/reference_library.h"
#include "profilers/judge/tolerance.h"

#include <map>
#include <string>

namespace warpmind::profilers {

/// Reference outputs of a case, and for a contraction those of the absolute inputs.
struct ReferenceValues {
  Values outputs;
  Values magnitudes;

  /// What output `argument` is held against; points into this.
  [[nodiscard]] Expected expected(const Argument& argument,
                                  std::vector<std::int64_t> extents) const;
};

/// `raw_inputs`: in and inout arguments by name. Errors: as ReferenceLibrary::compute_reference().
[[nodiscard]] Result<ReferenceValues> compute_reference(
    const ReferenceLibrary& library, const Task& task, const Sizes& sizes,
    const std::map<std::string, std::string>& raw_inputs);

}  // namespace warpmind::profilers
