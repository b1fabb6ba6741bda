#pragma once
/// \file
/// Technique cards and facts in their families: written once a change, never a projection. The
/// version that a put replaces is kept.

#include "base/model/technique.h"
#include "base/result.h"
#include "knowledge_base/change_set.h"
#include "knowledge_base/insights/insight_event.h"

#include <optional>
#include <string>

namespace warpmind::knowledge_base {

[[nodiscard]] Result<std::optional<Technique>> load_technique(const ChangeSet& change,
                                                              const std::string& name);
/// As given; nothing when it is the same already. Returns whether it wrote.
[[nodiscard]] Result<bool> store_technique(ChangeSet& change, const Technique& technique,
                                           const Actor& actor);
[[nodiscard]] Result<bool> store_fact(ChangeSet& change, const Fact& fact);

}  // namespace warpmind::knowledge_base
