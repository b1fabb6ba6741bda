#include "knowledge_base/insights/scope_split.h"

#include "base/text.h"
#include "knowledge_base/insights/text_guard.h"
#include "knowledge_base/insights/wording.h"

#include <map>
#include <set>

namespace warpmind::knowledge_base {
namespace {

constexpr std::size_t kLeastEpisodes = 2;
constexpr std::size_t kMostDevices = 4;

struct Part {
  bool supports = false;
  bool contradicts = false;
  std::set<EpisodeId> episodes;
};

using Parts = std::map<std::string, Part>;

template <class Name>
Parts parts_by(const StoredInsight& stored, const Name& name) {
  Parts parts;
  for (const auto& cell : stored.cells) {
    if (cell.provider != Provider::gpu) continue;
    if (cell.supports.confirmed == 0 && cell.contradicts.confirmed == 0) continue;
    Part& part = parts[name(cell)];
    part.supports = part.supports || cell.supports.confirmed > 0;
    part.contradicts = part.contradicts || cell.contradicts.confirmed > 0;
    for (const auto* side : {&cell.supports, &cell.contradicts}) {
      for (const auto& witness : side->witnesses) part.episodes.insert(witness.episode);
    }
  }
  return parts;
}

/// Both sides there, none mixed, each with enough episodes.
bool is_clean(const Parts& parts) {
  std::set<EpisodeId> supporting;
  std::set<EpisodeId> contradicting;
  for (const auto& [name, part] : parts) {
    if (name.empty() || (part.supports && part.contradicts)) return false;
    (part.supports ? supporting : contradicting).insert(part.episodes.begin(), part.episodes.end());
  }
  return supporting.size() >= kLeastEpisodes && contradicting.size() >= kLeastEpisodes;
}

InsightKind opposite_of(const Insight& insight) {
  if (insight.kind != InsightKind::negative) return InsightKind::negative;
  return insight.action.techniques.size() > 1 ? InsightKind::composite : InsightKind::positive;
}

SplitSide side_of(const StoredInsight& stored, const InsightScope& scope, const std::string& where,
                  bool supporting) {
  SplitSide side;
  side.opposite = !supporting;
  Insight& claim = side.claim;
  const Insight& whole = stored.insight;
  claim.kind = supporting ? whole.kind : opposite_of(whole);
  claim.action = whole.action;
  claim.scope = scope;
  claim.space = whole.space;
  claim.provenance = whole.provenance;
  claim.supersedes = {whole.id};
  if (supporting) claim.mechanism = whole.mechanism;
  if (!whole.action.techniques.empty() && !supporting) {
    claim.claim = claim_text(claim);
  } else {
    const std::string lead = supporting ? "On " + where + ": " : "Not on " + where + ": ";
    claim.claim = lead + shortened(whole.claim, kMostCharacters - lead.size());
  }
  return side;
}

std::vector<std::string> names_on(const Parts& parts, bool supporting) {
  std::vector<std::string> names;
  for (const auto& [name, part] : parts) {
    if (part.supports == supporting) names.push_back(name);
  }
  return names;
}

std::optional<ScopeSplit> by_capability(const StoredInsight& stored) {
  const auto parts = parts_by(stored, [](const EvidenceCell& cell) {
    // Three digits, so that the order of texts is that of numbers.
    const std::string digits = std::to_string(cell.capability);
    return cell.capability == 0 ? "" : std::string(3 - digits.size(), '0') + digits;
  });
  if (!is_clean(parts)) return std::nullopt;
  const auto against = names_on(parts, false);
  const auto supporting = names_on(parts, true);
  if (against.front() < supporting.back() && supporting.front() < against.back()) {
    return std::nullopt;  // they alternate: no range holds one side alone
  }
  ScopeSplit split{"compute capability", {}};
  for (const auto* side : {&against, &supporting}) {
    InsightScope scope = stored.insight.scope;
    scope.capability_min = std::stoi(side->front());
    scope.capability_max = std::stoi(side->back());
    split.sides.push_back(side_of(stored, scope,
                                  capability_text(scope.capability_min, scope.capability_max),
                                  side == &supporting));
  }
  return split;
}

std::optional<ScopeSplit> by_family(const StoredInsight& stored) {
  const auto parts =
      parts_by(stored, [](const EvidenceCell& cell) { return cell.operator_family; });
  if (!is_clean(parts)) return std::nullopt;
  ScopeSplit split{"operator family", {}};
  for (const bool supporting : {false, true}) {
    InsightScope scope = stored.insight.scope;
    scope.operator_families = names_on(parts, supporting);
    const std::string where = join_text(scope.operator_families, ", ");
    split.sides.push_back(side_of(stored, scope, where, supporting));
  }
  return split;
}

/// A scope names one device: one insight each.
std::optional<ScopeSplit> by_device(const StoredInsight& stored) {
  const auto parts = parts_by(stored, [](const EvidenceCell& cell) { return cell.device; });
  if (!is_clean(parts) || parts.size() > kMostDevices) return std::nullopt;
  ScopeSplit split{"device", {}};
  for (const bool supporting : {false, true}) {
    for (const auto& name : names_on(parts, supporting)) {
      InsightScope scope = stored.insight.scope;
      scope.device = name;
      split.sides.push_back(side_of(stored, scope, name, supporting));
    }
  }
  return split;
}

}  // namespace

std::optional<ScopeSplit> plan_split(const StoredInsight& contested) {
  // The broadest line first: what holds for a generation is worth more than for one model.
  if (auto split = by_capability(contested)) return split;
  if (auto split = by_family(contested)) return split;
  return by_device(contested);
}

EvidenceRef turned(const EvidenceRef& evidence) {
  EvidenceRef other = evidence;
  other.supports = !evidence.supports;
  return other;
}

}  // namespace warpmind::knowledge_base
