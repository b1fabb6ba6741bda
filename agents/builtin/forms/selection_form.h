#pragma once
/// \file
/// The k best of each row: values, positions or both, as k passes that each take the best not yet
/// taken, or kept sorted while the row is walked once.

#include "agents/builtin/forms/normal_form.h"

namespace warpmind::agents::builtin {

/// A FormFinder for kernels with one thread a row.
[[nodiscard]] Result<std::vector<NormalForm>> find_selection_forms(const Scene& scene);

}  // namespace warpmind::agents::builtin
