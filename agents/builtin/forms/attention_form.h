#pragma once
/// \file
/// Kernels that attend, as normal forms.

#include "agents/builtin/forms/normal_form.h"

namespace warpmind::agents::builtin {

/// One form for each launch whose blocks compute the softmax of one query's scores and the sum of
/// value rows that it weights.
[[nodiscard]] Result<std::vector<NormalForm>> find_attention_forms(const Scene& scene);

}  // namespace warpmind::agents::builtin
