#pragma once
/// \file
/// What this base says of a claim to others: the sum of its own measurements and decisions, never
/// what it heard.

#include "base/model/insight.h"
#include "base/result.h"
#include "knowledge_base/insights/insight_fold.h"
#include "knowledge_base/insights/record_reader.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

/// Actors of imports are named "pack <name>"; what they did is no word of this base.
inline constexpr std::string_view kPackActor = "pack ";

/// Whether another base or the seed spoke: no word of this base.
[[nodiscard]] bool is_of_others(const InsightEvent& event);

/// Absent where this base never measured nor decided anything. Only measurements of a GPU are
/// counted. `newest_toggle`: newest change that (un)quarantined a source, 0 = none.
[[nodiscard]] std::optional<Attestation> own_attestation(const StoredInsight& stored,
                                                         const std::vector<LoggedEvent>& history,
                                                         const std::string& base_id,
                                                         std::int64_t newest_toggle);

}  // namespace warpmind::knowledge_base
