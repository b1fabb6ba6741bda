#pragma once
/// \file
/// What somebody else's graph claims: one insight an example. Pure.

#include "base/model/insight.h"
#include "knowledge_base/graph/regrapht_reader.h"

#include <functional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// Our name for a technique of another system, or its name in the letters that ours have:
/// "Shared Memory Tiling" → "shared_memory_tiling". "" when nothing of it is left.
[[nodiscard]] std::string technique_slug(const std::string& name);

/// One claim an example, in the order of the edges: proposed, trust T0, without numbers. `ours`
/// maps a name of theirs to a technique of ours. Edges into node 0 claim nothing. Text that is not
/// fit to be kept (insights/text_guard.h) is left out, the claim stays.
[[nodiscard]] std::vector<Insight> claims_of(
    const ForeignGraph& graph, const std::string& source,
    const std::function<std::string(const std::string&)>& ours);

}  // namespace warpmind::knowledge_base
