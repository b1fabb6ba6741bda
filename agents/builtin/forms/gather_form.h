#pragma once
/// \file
/// Rows whose terms lie between a begin and an end that data name: sparse matrices times vectors,
/// bags of embeddings, sums and extremes of segments.

#include "agents/builtin/forms/normal_form.h"

namespace warpmind::agents::builtin {

/// A FormFinder for kernels with one thread a row.
[[nodiscard]] Result<std::vector<NormalForm>> find_gather_forms(const Scene& scene);

}  // namespace warpmind::agents::builtin
