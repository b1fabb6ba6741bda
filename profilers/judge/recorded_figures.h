#pragma once
/// \file
/// The figures of an input that a recorded program had.

#include "base/model/task.h"

#include <string_view>

namespace warpmind::profilers {

/// Of `bytes`, elements of `dtype`, whole or a sample in the order of their addresses. Without
/// `values`; all 0 where no element is finite.
[[nodiscard]] RecordedInput figures_of(std::string_view bytes, Dtype dtype);

}  // namespace warpmind::profilers
