#pragma once
/// \file
/// Kernels that are contractions as normal forms: contraction/ finds them and writes their problem.

#include "agents/builtin/forms/normal_form.h"

namespace warpmind::agents::builtin {

/// One for each launch that sums products of two operands in f32, the one that takes most of the
/// time first. Errors: not_found with the reason of that launch.
[[nodiscard]] Result<std::vector<NormalForm>> find_contraction_forms(const Scene& scene);

}  // namespace warpmind::agents::builtin
