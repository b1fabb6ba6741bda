#pragma once
/// \file
/// Which compiler options a kernel may ask for.

#include "base/model/kernel.h"
#include "base/result.h"

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::profilers {

/// What is allowed, for messages and documents.
[[nodiscard]] std::string_view allowed_flags_text();

/// Options for nvcc: `kernel.build_flags`, then one -DNAME=value per constant of the plan.
/// Errors: invalid_argument naming the first option that is not allowed.
[[nodiscard]] Result<std::vector<std::string>> compiler_flags(const Kernel& kernel);

/// What a kernel is built for on a device of `architecture` ("sm_90"): that, or "sm_90a" with the
/// instructions of that chip alone when the kernel asks for it by -arch=sm_90a, which
/// compiler_flags() leaves out. Errors: invalid_argument when it asks for another chip.
[[nodiscard]] Result<std::string> build_architecture(const Kernel& kernel,
                                                     const std::string& architecture);

}  // namespace warpmind::profilers
