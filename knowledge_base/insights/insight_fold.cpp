#include "knowledge_base/insights/insight_fold.h"

#include "base/part.h"
#include "base/sequence.h"
#include "knowledge_base/insights/utility.h"

#include <algorithm>
#include <string_view>
#include <tuple>

namespace warpmind::knowledge_base {
namespace {

constexpr std::size_t kMostWitnesses = 2;
constexpr std::string_view kEpisodes = "episodes";

/// What is stated moves with the evidence, unless somebody other than the gate took it off offer.
bool is_hold(const Actor& actor, InsightState state) {
  return actor.name != kGate && !is_offered(state);
}

void remember(std::vector<Witness>& witnesses, const EvidenceRef& evidence) {
  const Witness next{evidence.episode, evidence.task};
  const auto same_episode = [&next](const Witness& w) { return w.episode == next.episode; };
  if (std::any_of(witnesses.begin(), witnesses.end(), same_episode)) return;
  if (witnesses.size() < kMostWitnesses) {
    witnesses.push_back(next);
  } else if (witnesses[1].task == witnesses[0].task && next.task != witnesses[0].task) {
    witnesses[1] = next;
  }
}

EvidenceCell& cell_of(std::vector<EvidenceCell>& cells, const EvidenceRef& evidence,
                      int capability) {
  const EvidencePlace place{evidence.provider, evidence.device, capability,
                            evidence.operator_family};
  const auto at = std::find_if(cells.begin(), cells.end(),
                               [&place](const EvidencePlace& cell) { return cell >= place; });
  if (at != cells.end() && part<EvidencePlace>(*at) == place) return *at;
  return *cells.insert(at, EvidenceCell{place, {}, {}, {}});
}

void take_evidence(StoredInsight& stored, const InsightEvent& event) {
  const EvidenceRef& evidence = *event.evidence;
  Insight& insight = stored.insight;
  if (!admits(insight.scope, evidence, event.capability)) return;
  EvidenceCell& cell = cell_of(stored.cells, evidence, event.capability);
  const auto [value, weight] = value_of(insight.kind, evidence, event.outcome);
  cell.values.add(value, weight);
  SideTally& side = evidence.supports ? cell.supports : cell.contradicts;
  if (is_confirmed_grade(evidence, event.outcome)) {
    ++side.confirmed;
    remember(side.witnesses, evidence);
  } else {
    ++side.weak;
  }
  insight.evidence.push_back(evidence);
  if (insight.evidence.size() > kMostEvidence) insight.evidence.erase(insight.evidence.begin());
}

void take_attestation(Insight& insight, const Attestation& attestation) {
  auto& all = insight.attestations;
  const auto at = std::lower_bound(
      all.begin(), all.end(), attestation,
      [](const Attestation& a, const Attestation& b) { return a.origin < b.origin; });
  if (at == all.end() || at->origin != attestation.origin) {
    all.insert(at, attestation);
  } else if (replaces(attestation, *at)) {
    *at = attestation;
  }
}

void set_state(StoredInsight& stored, InsightState state, std::string reason, bool held) {
  stored.stated = state;
  stored.stated_reason = std::move(reason);
  stored.held = held;
}

void take_supersede(StoredInsight& stored, const InsightEvent& event) {
  Insight& insight = stored.insight;
  if (event.other == insight.id) {
    auto& olds = insight.supersedes;
    if (!contains(olds, event.insight)) {
      olds.push_back(event.insight);
    }
    return;
  }
  stored.successors.push_back(event.other);
  insight.superseded_by = event.other;
  set_state(stored, InsightState::deprecated,
            "superseded by " + event.other.str() +
                (event.actor.reason.empty() ? "" : ": " + event.actor.reason),
            true);
}

void take(StoredInsight& stored, const InsightEvent& event) {
  switch (event.op) {
    case InsightOp::evidence: take_evidence(stored, event); break;
    case InsightOp::attest: take_attestation(stored.insight, *event.attestation); break;
    // Its scope is taken by fold(), before any evidence.
    case InsightOp::amend: amend_words(stored.insight, *event.amendment); break;
    case InsightOp::transition:
      set_state(stored, *event.state, event.actor.reason, is_hold(event.actor, *event.state));
      break;
    case InsightOp::pin: stored.insight.pinned = true; break;
    case InsightOp::unpin: stored.insight.pinned = false; break;
    case InsightOp::supersede: take_supersede(stored, event); break;
    case InsightOp::add:
    case InsightOp::undo:
    case InsightOp::distrust:
    case InsightOp::trust: break;
  }
}

void start(StoredInsight& stored, const LoggedEvent& first) {
  stored.insight = *first.event.content;
  Insight& insight = stored.insight;
  insight.id = first.event.insight;
  insight.created = first.sequence;
  insight.created_at = first.event.at;
  insight.evidence.clear();
  insight.attestations.clear();
  insight.superseded_by = {};
  insight.pinned = false;
  insight.document = 0;
  set_state(stored, InsightState::proposed,
            "said by " + first.event.actor.name + "; not measured here", false);
}

/// Somebody here proposed it; everything else is a text from outside.
bool is_local(std::string_view source) {
  return source == kEpisodes || source.starts_with("user:") || source.starts_with("agent:") ||
         source.starts_with("llm:");
}

Trust trust_of(const StoredInsight& stored) {
  if (stored.insight.pinned) return Trust::t4;
  const bool measured =
      std::any_of(stored.cells.begin(), stored.cells.end(), [](const EvidenceCell& cell) {
        return cell.provider == Provider::gpu && cell.supports.confirmed > 0;
      });
  if (measured && stored.stated == InsightState::confirmed) return Trust::t3;
  if (measured) return Trust::t2;
  return is_local(stored.insight.provenance.source) ? Trust::t1 : Trust::t0;
}

/// What follows from the rest: utility, trust, and the state that readers see.
void settle(StoredInsight& stored, const Distrusted& distrusted) {
  Insight& insight = stored.insight;
  insight.utility = utility_of(stored.cells, insight.attestations);
  insight.trust = trust_of(stored);
  insight.state = stored.stated;
  insight.state_reason = stored.stated_reason;
  if (!distrusted.contains(insight.provenance.source)) return;
  insight.state = InsightState::quarantined;
  insight.state_reason = "its source " + insight.provenance.source + " is quarantined";
  insight.trust = Trust::t0;
}

void stamp(Insight& insight, const LoggedEvent& last) {
  insight.changed = last.sequence;
  insight.changed_at = last.event.at;
}

}  // namespace

void amend_words(Insight& insight, const InsightWords& words) {
  if (words.claim) insight.claim = *words.claim;
  if (words.mechanism) insight.mechanism = *words.mechanism;
  if (words.parameters) insight.action.parameters = *words.parameters;
  if (words.space) insight.space = *words.space;
}

bool replaces(const Attestation& said, const Attestation& known) {
  const auto order = [](const Attestation& a) {
    return std::tie(a.sequence, a.contradicts, a.state, a.supports, a.mean_log_gain);
  };
  return order(said) > order(known);
}

std::string source_of(const InsightEvent& event) {
  if (!event.source.empty()) return event.source;
  if (event.op == InsightOp::add && event.content) return event.content->provenance.source;
  if (event.op == InsightOp::evidence && event.evidence) {
    return "episode:" + event.evidence->episode.str();
  }
  if (event.op == InsightOp::attest && event.attestation) {
    return "base:" + event.attestation->origin;
  }
  return event.actor.name;
}

bool is_counted(const InsightEvent& event, const Distrusted& distrusted) {
  if (distrusted.empty()) return true;
  if (event.op == InsightOp::evidence && distrusted.contains(std::string(kEpisodes))) return false;
  return !distrusted.contains(event.source);
}

bool admits(const InsightScope& scope, const EvidenceRef& evidence, int capability) {
  if (!scope.device.empty() && scope.device != evidence.device) return false;
  const auto& families = scope.operator_families;
  if (!families.empty() && !contains(families, evidence.operator_family)) {
    return false;
  }
  if (capability == 0) return true;
  return (scope.capability_min == 0 || capability >= scope.capability_min) &&
         (scope.capability_max == 0 || capability <= scope.capability_max);
}

bool needs_whole_fold(const InsightEvent& event) {
  switch (event.op) {
    case InsightOp::undo:
    case InsightOp::distrust:
    case InsightOp::trust: return true;
    case InsightOp::amend: return event.amendment->scope.has_value();
    default: return false;
  }
}

void fold_next(StoredInsight& stored, const LoggedEvent& next, const Distrusted& distrusted) {
  if (next.event.op == InsightOp::add && stored.insight.created == 0) start(stored, next);
  if (is_counted(next.event, distrusted)) take(stored, next.event);
  settle(stored, distrusted);
  stamp(stored.insight, next);
}

std::set<std::pair<std::int64_t, std::int64_t>> undone(const std::vector<LoggedEvent>& events,
                                                       const Distrusted& distrusted) {
  std::set<std::pair<std::int64_t, std::int64_t>> taken_back;
  // An undo is taken back only by a later one: from the end, each is decided when it is reached.
  for (auto it = events.rbegin(); it != events.rend(); ++it) {
    const auto place = std::pair(it->sequence, static_cast<std::int64_t>(it->position));
    if (it->event.op != InsightOp::undo || taken_back.contains(place)) continue;
    if (!is_counted(it->event, distrusted)) continue;
    taken_back.emplace(it->event.undone_sequence, it->event.undone_position);
  }
  return taken_back;
}

Result<StoredInsight> fold(const InsightId& id, const std::vector<LoggedEvent>& events,
                           const Distrusted& distrusted) {
  if (events.empty() || events.front().event.op != InsightOp::add ||
      !events.front().event.content) {
    return fail(Errc::corrupt_data,
                "the history of " + id.str() + " does not begin with its claim");
  }
  const auto taken_back = undone(events, distrusted);
  const auto is_live = [&](const LoggedEvent& logged) {
    return is_counted(logged.event, distrusted) &&
           !taken_back.contains({logged.sequence, static_cast<std::int64_t>(logged.position)});
  };
  StoredInsight stored;
  start(stored, events.front());
  // Evidence counts where it lies in the scope as it stands at the end.
  for (const auto& logged : events) {
    if (logged.event.op == InsightOp::amend && logged.event.amendment->scope && is_live(logged)) {
      stored.insight.scope = *logged.event.amendment->scope;
    }
  }
  for (const auto& logged : events) {
    if (is_live(logged)) take(stored, logged.event);
  }
  settle(stored, distrusted);
  stamp(stored.insight, events.back());
  return stored;
}

}  // namespace warpmind::knowledge_base
