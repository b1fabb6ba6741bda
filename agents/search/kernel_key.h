#pragma once
/// \file
/// When two kernels are one: the key of a kernel in the graph of an episode.

#include "base/model/kernel.h"

#include <string>
#include <string_view>

namespace warpmind::agents {

/// The source without comments, empty lines and superfluous blanks; literals stay as they are.
[[nodiscard]] std::string without_layout(std::string_view source);

/// Equal for kernels that differ in comments and layout only.
[[nodiscard]] std::string kernel_key(const Kernel& kernel);

/// Equal for kernels whose plans and machine code (BuildReport::machine_code) are equal, whatever
/// their sources and build flags.
[[nodiscard]] std::string machine_code_key(const Kernel& kernel, const std::string& machine_code);

}  // namespace warpmind::agents
