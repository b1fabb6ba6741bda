#pragma once
/// \file
/// What inputs the judge draws, in words for whoever writes a kernel.

#include "base/model/task.h"

#include <string>

namespace warpmind {

/// The distributions of each input with their ranges, as docs/numerics.md has them: "x (f16):
/// normal N(0,1) x 1/2 to 2, …; y (f32): …". Empty without inputs.
[[nodiscard]] std::string describe_draws(const Task& task);

}  // namespace warpmind
