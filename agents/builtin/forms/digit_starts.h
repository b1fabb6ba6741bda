#pragma once
/// \file
/// The launches in front of a sort pass that count its digits and sum the counts to starts.

#include "agents/builtin/forms/sort_pass_launch.h"

#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// The launches right before `pass` that do nothing but compute its starts from its keys, in order.
/// Errors: not_found with a clause: the pass must then take the starts that it is given.
[[nodiscard]] Result<std::vector<std::size_t>> launches_for_starts(const Scene& scene,
                                                                   const SortPassLaunch& pass);

}  // namespace warpmind::agents::builtin
