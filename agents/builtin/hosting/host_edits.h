#pragma once
/// \file
/// Edits of host code that make a program wait less: each by itself, with a reason where it does
/// not apply. Kernels are not touched.

#include "agents/builtin/syntax.h"
#include "base/model/program_parts.h"

#include <string_view>
#include <vector>

namespace warpmind::agents::builtin {

/// Every host edit, in the order in which they are to be applied.
[[nodiscard]] std::vector<HostEdit> host_edits(const CudaSource& program);

/// Errors: not_found, with the names that there are.
[[nodiscard]] Result<HostEdit> host_edit(std::string_view name, const CudaSource& program);

}  // namespace warpmind::agents::builtin
