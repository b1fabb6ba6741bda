#pragma once
/// \file
/// Loops over tiles, and over the terms of a tile, as one loop over the terms; and threads without
/// an output sent home in front of it.

#include "agents/builtin/scene.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::agents::builtin {

/// The source with the two loops of `kernel` as one. `bounds`: pairs `left < right` that held for
/// each term; where a left one is the number of the term, the right one ends the loop. `end`: what
/// ends it otherwise; empty: the last term of the last tile. nullopt: there are no such loops.
[[nodiscard]] std::optional<std::string> with_flat_tiles(
    const std::string& source, const std::string& kernel, const SceneLaunch& launch,
    const std::vector<std::pair<std::string, std::string>>& bounds, const std::string& end);

/// The source in which threads leave before the last loop where the condition around the kernel's
/// last statement does not hold. nullopt: there is no such condition.
[[nodiscard]] std::optional<std::string> with_early_return(const std::string& source,
                                                           const std::string& kernel,
                                                           const SceneLaunch& launch);

}  // namespace warpmind::agents::builtin
