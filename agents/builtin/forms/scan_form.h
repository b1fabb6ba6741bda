#pragma once
/// \file
/// Kernels that leave something for every prefix of a row: running sums, products, extremes, and
/// serial loops that only carry such values on.

#include "agents/builtin/forms/normal_form.h"

namespace warpmind::agents::builtin {

/// Errors: not_found with one clause that says what stands in the way.
[[nodiscard]] Result<std::vector<NormalForm>> find_scan_forms(const Scene& scene);

}  // namespace warpmind::agents::builtin
