#pragma once
/// \file
/// The normal form scatter: adds to places that data name.

#include "agents/builtin/forms/normal_form.h"

namespace warpmind::agents::builtin {

/// One form for each launch that find_scatter_launch() reads. Errors: not_found with one clause.
[[nodiscard]] Result<std::vector<NormalForm>> find_scatter_forms(const Scene& scene);

}  // namespace warpmind::agents::builtin
