#pragma once
/// \file
/// The problem of a normalization as text: methods made of what the kernel computes for one term of
/// one row.

#include "agents/builtin/forms/normalization.h"

#include <cstddef>
#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// Of the grid, the axes that the problem must be given.
[[nodiscard]] std::vector<std::size_t> grid_members(const Normalization& what);

/// Empty: some value cannot be written.
[[nodiscard]] std::string problem_text(const RowValues& values, const Normalization& what);

}  // namespace warpmind::agents::builtin
