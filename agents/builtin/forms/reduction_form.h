#pragma once
/// \file
/// Reductions: every row of terms becomes one state (a sum, an extreme, several of them, an extreme
/// and its place). docs/skills-forms.md says what the problem offers.

#include "agents/builtin/forms/normal_form.h"

namespace warpmind::agents::builtin {

/// Kernels in which one thread, some neighbouring threads, one block or the whole grid runs a loop
/// that takes in one term after the other.
[[nodiscard]] Result<std::vector<NormalForm>> find_reduction_forms(const Scene& scene);

}  // namespace warpmind::agents::builtin
