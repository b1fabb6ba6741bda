#pragma once
/// \file
/// What inputs the judge draws, in words for whoever writes a kernel.

#include "base/model/task.h"

#include <string>

namespace warpmind {

/// The distributions of each input with their ranges, as docs/numerics.md has them: "x (f16):
/// normal N(0,1) x 1/2 to 2, …; y (f32): …". Empty without inputs.
[[nodiscard]] std::string describe_draws(const Task& task);

/// Of a task that was made of a recorded program: "len as recorded; x like the recorded values; to
/// invented (0 and 1)". Empty for other tasks, and without inputs. Never a value.
[[nodiscard]] std::string describe_inputs(const Task& task);

}  // namespace warpmind
