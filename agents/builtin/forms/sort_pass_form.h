#pragma once
/// \file
/// The normal form sort pass: keys, and perhaps one value that goes along with each, are stored in
/// the order of one digit; those of equal digits keep their order.

#include "agents/builtin/forms/normal_form.h"

namespace warpmind::agents::builtin {

/// One form for each launch that distributes keys one by one, with the launches before it that
/// count digits and sum the counts where these are understood. Errors: not_found with one clause.
[[nodiscard]] Result<std::vector<NormalForm>> find_sort_pass_forms(const Scene& scene);

}  // namespace warpmind::agents::builtin
