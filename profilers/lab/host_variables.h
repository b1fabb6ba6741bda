#pragma once
/// \file
/// Variables in device memory that only host code can fill. A task launches kernels without their
/// program's host code: there they are zero, and the kernel computes something else.

#include <optional>
#include <string>

namespace warpmind::profilers {

/// The first `__constant__` variable of `source` that has no initial value, or `__device__`
/// variable that has none and that no device code writes, by the text alone; nullopt = none.
[[nodiscard]] std::optional<std::string> find_host_variable(const std::string& source);

}  // namespace warpmind::profilers
