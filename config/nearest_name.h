#pragma once
/// \file
/// "Did you mean …": the known name that a misspelt one is closest to.

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::config {

/// The candidate with the fewest insertions, deletions, substitutions and swaps of neighbours;
/// empty when even that differs in more than a third of `wrong` (2 letters of a short one).
[[nodiscard]] std::string_view nearest_name(std::string_view wrong,
                                            const std::vector<std::string_view>& known);

/// "; did you mean 'x'? known: x, y", or only "; known: x, y" when nothing is near.
[[nodiscard]] std::string suggestion(std::string_view wrong,
                                     const std::vector<std::string_view>& known);

}  // namespace warpmind::config
