// What InsightWriter refuses before it writes anything.

#include "knowledge_base/insights/insight_writer.h"
#include "knowledge_base/insights/validation.h"
#include "knowledge_base/insights/wording.h"
#include "knowledge_base/key_codec.h"

#include <algorithm>

namespace warpmind::knowledge_base {
namespace {

/// Imports tell of devices that this machine never saw: no slip of the pen, as with a person.
bool speaks_of_other_machines(const std::string& source) {
  return source.starts_with("pack:") || source.starts_with("kernel_tuner:") ||
         source.starts_with("kernelblaster:");
}

bool is_reserved(const std::string& name) { return name == kGate || name == kLift; }

Result<void> refuse(const std::string& why) { return fail(Errc::invalid_argument, why); }

Result<void> check_transition(const StoredInsight& stored, const InsightEvent& event) {
  const std::string id = stored.insight.id.str();
  if (!event.state) return refuse("a transition needs a state");
  if (is_offered(*event.state) && *event.state != InsightState::proposed) {
    return refuse("only evidence makes an insight " + std::string(name_of(*event.state)) +
                  ": measure it");
  }
  if (stored.insight.pinned) {
    return fail(Errc::conflict,
                id + " is pinned as " + std::string(name_of(stored.stated)) + ": unpin it first");
  }
  if (*event.state == InsightState::proposed && is_offered(stored.stated)) {
    return fail(Errc::conflict,
                id + " is on offer as " + std::string(name_of(stored.stated)) + " already");
  }
  if (*event.state == stored.stated && stored.held) {
    return fail(Errc::conflict, id + " is " + std::string(name_of(stored.stated)) + " already");
  }
  return {};
}

}  // namespace

Result<void> InsightWriter::check(InsightEvent& event) {
  WARPMIND_CHECK(check_actor(event.actor));
  if (is_reserved(event.actor.name)) {
    return refuse("'" + event.actor.name + "' is no name for an actor: it is the base itself");
  }
  if (event.op == InsightOp::distrust || event.op == InsightOp::trust) return check_toggle(event);
  if (event.op != InsightOp::add) {
    WARPMIND_TRY(const auto stored, require_insight(reader(), event.insight));
    return check_change(stored, event);
  }
  if (!event.content) return refuse("there is no claim to add");
  normalise(*event.content);
  event.insight = event.content->id = id_of(*event.content);
  if (!event.content->evidence.empty() || !event.content->attestations.empty()) {
    return refuse("a claim is added without evidence: cite it in events of its own");
  }
  WARPMIND_CHECK(check_claim(*event.content));
  return check_add(event);
}

Result<void> InsightWriter::check_add(InsightEvent& event) {
  Insight& claim = *event.content;
  if (!speaks_of_other_machines(claim.provenance.source)) {
    WARPMIND_CHECK(check_device(reader(), claim.scope.device));
  }
  WARPMIND_TRY(const auto known, load_insight(reader(), claim.id));
  if (known) {
    return fail(Errc::conflict, "the same claim is there as " + claim.id.str() + ", " +
                                    std::string(name_of(known->insight.state)) +
                                    ": add evidence to it, or edit it");
  }
  WARPMIND_CHECK(check_supersedes(reader(), claim));
  claim.utility = {};
  claim.trust = Trust::t0;
  claim.state_reason.clear();
  claim.superseded_by = {};
  claim.created = claim.changed = claim.document = 0;
  claim.created_at = claim.changed_at = {};
  return {};
}

Result<void> InsightWriter::check_change(const StoredInsight& stored, InsightEvent& event) {
  const Insight& insight = stored.insight;
  switch (event.op) {
    case InsightOp::evidence: {
      WARPMIND_CHECK(check_evidence(reader(), insight, event));
      WARPMIND_TRY(const bool cited, is_cited(insight.id, *event.evidence));
      if (!cited) return {};
      return fail(Errc::conflict, insight.id.str() + " has the evidence of " +
                                      event.evidence->episode.str() + " step " +
                                      std::to_string(event.evidence->step) + " already");
    }
    case InsightOp::attest:
      if (!event.attestation) return refuse("there is no attestation");
      return check_attestation(*event.attestation);
    case InsightOp::amend: return check_amended(insight, event);
    case InsightOp::transition: return check_transition(stored, event);
    case InsightOp::pin:
    case InsightOp::unpin:
      if (insight.pinned != (event.op == InsightOp::pin)) return {};
      return fail(Errc::conflict,
                  insight.id.str() + (insight.pinned ? " is pinned already" : " is not pinned"));
    case InsightOp::supersede: {
      if (insight.pinned) {
        return fail(Errc::conflict, insight.id.str() + " is pinned: unpin it first");
      }
      WARPMIND_TRY(const auto successor, require_insight(reader(), event.other));
      return check_no_cycle(reader(), insight.id, successor.insight.id);
    }
    case InsightOp::undo: return check_undo(stored, event);
    default: return refuse("this event is about no single insight");
  }
}

Result<void> InsightWriter::check_amended(const Insight& insight, InsightEvent& event) {
  if (!event.amendment) return refuse("the edit changes nothing: name a field");
  WARPMIND_CHECK(check_amendment(*event.amendment));
  Insight amended = insight;
  if (event.amendment->scope) {
    normalise(*event.amendment->scope);
    if (!speaks_of_other_machines(insight.provenance.source)) {
      WARPMIND_CHECK(check_device(reader(), event.amendment->scope->device));
    }
    amended.scope = *event.amendment->scope;
  }
  if (event.amendment->parameters) amended.action.parameters = *event.amendment->parameters;
  if (event.amendment->space) amended.space = *event.amendment->space;
  if (event.amendment->claim) amended.claim = *event.amendment->claim;
  const InsightId id = id_of(amended);
  if (id == insight.id || id == id_of(insight)) return {};
  WARPMIND_TRY(const auto other, reader().get(Family::insights, insight_key(id)));
  if (!other) return {};
  return fail(Errc::conflict,
              "so amended it would say what " + id.str() + " says: supersede one by the other");
}

Result<void> InsightWriter::check_undo(const StoredInsight& stored, InsightEvent& event) {
  WARPMIND_TRY(const auto history, load_history(reader(), stored.insight.id));
  const std::pair place(event.undone_sequence, event.undone_position);
  const auto found = std::find_if(history.begin(), history.end(), [&](const LoggedEvent& logged) {
    return logged.sequence == place.first &&
           static_cast<std::int64_t>(logged.position) == place.second;
  });
  const std::string named =
      "event " + std::to_string(place.second) + " of change " + std::to_string(place.first);
  if (found == history.end()) {
    return fail(Errc::not_found, named + " is not in the history of " + stored.insight.id.str());
  }
  const InsightEvent& target = found->event;
  if (target.op == InsightOp::add) {
    return refuse("the first saying of a claim cannot be undone: retract it instead");
  }
  if (target.op == InsightOp::transition && target.actor.name == kGate) {
    return refuse("the gate draws this from the evidence: undo the evidence, or pin the insight");
  }
  if (target.op == InsightOp::distrust || target.op == InsightOp::trust) {
    return refuse("this is about the whole source " + target.source +
                  ": quarantine it or trust it again");
  }
  WARPMIND_TRY(const auto without, projection_.distrusted());
  if (undone(history, without).contains(place)) {
    return fail(Errc::conflict, named + " (" + event_text(target) + ") is undone already");
  }
  event.insight = target.insight;
  event.other = target.other;
  return {};
}

Result<void> InsightWriter::check_toggle(const InsightEvent& event) {
  WARPMIND_CHECK(check_source(event.source));
  if (is_reserved(event.source)) return refuse("the base cannot be quarantined by itself");
  WARPMIND_TRY(const auto without, projection_.distrusted());
  const bool quarantined = without.contains(event.source);
  if (quarantined == (event.op == InsightOp::trust)) return {};
  return fail(Errc::conflict,
              "the source " + event.source +
                  (quarantined ? " is quarantined already" : " is not quarantined"));
}

}  // namespace warpmind::knowledge_base
