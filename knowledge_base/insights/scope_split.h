#pragma once
/// \file
/// A contradiction that is none: when the sides of a contested insight lie apart by compute
/// capability, operator family or device, each side gets an insight of its own.

#include "base/model/insight.h"
#include "knowledge_base/insights/insight_fold.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// An insight about one side.
struct SplitSide {
  Insight claim;          ///< without id and evidence
  bool opposite = false;  ///< of another sign than the contested one: evidence changes sides
  bool operator==(const SplitSide&) const = default;
};

struct ScopeSplit {
  std::string by;                ///< "compute capability", "operator family", "device"
  std::vector<SplitSide> sides;  ///< those against first, those for it last
  bool operator==(const ScopeSplit&) const = default;
};

/// nullopt when no line separates them: each side needs confirmed measurements of two episodes on
/// its part, and none of the other's.
[[nodiscard]] std::optional<ScopeSplit> plan_split(const StoredInsight& contested);

/// `event`'s evidence as seen from a claim of the other sign.
[[nodiscard]] EvidenceRef turned(const EvidenceRef& evidence);

}  // namespace warpmind::knowledge_base
