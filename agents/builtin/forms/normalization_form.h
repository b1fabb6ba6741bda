#pragma once
/// \file
/// Normalizations: softmax, layer norm and their like. Rows that are passed over several times, for
/// what is found over all of their terms and then for what each term becomes.
/// docs/skills-forms.md says what the problem offers.

#include "agents/builtin/forms/normal_form.h"

namespace warpmind::agents::builtin {

/// Kernels in which one thread, some neighbouring threads or one block passes over a row.
[[nodiscard]] Result<std::vector<NormalForm>> find_normalization_forms(const Scene& scene);

}  // namespace warpmind::agents::builtin
