#pragma once
/// \file
/// On which outputs' numbers an expression may depend, as the names in it say.

#include "agents/builtin/contraction/output_axes.h"

#include <set>

namespace warpmind::agents::builtin {

/// Axes whose variable `expression` mentions, or which something it is computed from does. All axes
/// when the numbers of the thread are mentioned. Conditions around the loops at `top` hold anyway.
[[nodiscard]] std::set<std::size_t> named_axes(const SyntaxTree& tree, const Function& function,
                                               const OutputAxes& outputs, NodeId top,
                                               NodeId expression);

}  // namespace warpmind::agents::builtin
