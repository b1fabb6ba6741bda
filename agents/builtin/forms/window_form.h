#pragma once
/// \file
/// Windows: outputs that read several elements of one buffer at places that their own coordinates
/// fix. Stencils, pooling, short convolutions.

#include "agents/builtin/forms/normal_form.h"

namespace warpmind::agents::builtin {

/// As FormFinder.
[[nodiscard]] Result<std::vector<NormalForm>> find_window_forms(const Scene& scene);

}  // namespace warpmind::agents::builtin
