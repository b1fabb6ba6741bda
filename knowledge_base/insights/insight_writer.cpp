#include "knowledge_base/insights/insight_writer.h"

#include "base/sequence.h"
#include "knowledge_base/insights/gate.h"
#include "knowledge_base/insights/near_duplicates.h"
#include "knowledge_base/insights/validation.h"
#include "knowledge_base/key_codec.h"

#include <algorithm>
#include <utility>

namespace warpmind::knowledge_base {
namespace {

constexpr std::size_t kMostVerdicts = 4;  ///< of the gate on one event
constexpr std::size_t kMostDepth = 3;     ///< of a split within a split

bool is_negative(const Insight& insight) { return insight.kind == InsightKind::negative; }

InsightEvent like(const InsightEvent& event, const InsightId& id, InsightOp op) {
  InsightEvent next;
  next.insight = id;
  next.op = op;
  next.actor = event.actor;
  next.at = event.at;
  return next;
}

bool is_news(const Insight& insight, const Attestation& attestation) {
  return std::none_of(insight.attestations.begin(), insight.attestations.end(),
                      [&attestation](const Attestation& known) {
                        return known.origin == attestation.origin && !replaces(attestation, known);
                      });
}

}  // namespace

Result<std::vector<StoredInsight>> InsightWriter::store(InsightEvent event) {
  event.source = source_of(event);
  WARPMIND_TRY(auto bytes, encode_event(event));
  const std::size_t position = position_++;
  change_.put(Family::insights, insight_event_key(change_.sequence(), position), std::move(bytes));
  WARPMIND_TRY(auto projected, projection_.take({change_.sequence(), position, std::move(event)}));
  for (const auto& stored : projected) {
    if (std::find(touched_.rbegin(), touched_.rend(), stored.insight.id) == touched_.rend()) {
      touched_.push_back(stored.insight.id);
    }
  }
  return projected;
}

Result<StoredInsight> InsightWriter::conclude(StoredInsight stored, UnixMillis at) {
  for (std::size_t i = 0; i < kMostVerdicts; ++i) {
    auto judgement = judge(stored);
    if (!judgement) break;
    InsightEvent event;
    event.insight = stored.insight.id;
    event.op = InsightOp::transition;
    event.actor = {std::string(kGate), std::move(judgement->reason)};
    event.at = at;
    event.state = judgement->state;
    event.because = std::move(judgement->because);
    WARPMIND_TRY(auto projected, store(std::move(event)));
    stored = std::move(projected.front());
  }
  if (stored.insight.state != InsightState::contested || !may_judge(stored)) return stored;
  const auto plan = plan_split(stored);
  if (!plan || depth_ >= kMostDepth) return stored;
  ++depth_;
  auto done = split(stored, *plan, at);
  --depth_;
  return done;
}

Result<Insight> InsightWriter::apply(InsightEvent event) {
  WARPMIND_CHECK(check(event));
  const UnixMillis at = event.at;
  WARPMIND_TRY(auto projected, store(std::move(event)));
  Insight first;
  for (std::size_t i = 0; i < projected.size(); ++i) {
    WARPMIND_TRY(auto concluded, conclude(std::move(projected[i]), at));
    if (i == 0) first = std::move(concluded.insight);
  }
  return first;
}

Result<bool> InsightWriter::is_cited(const InsightId& id, const EvidenceRef& evidence) {
  const std::string key = source_insight_key("episode:" + evidence.episode.str(), id);
  WARPMIND_TRY(const auto steps, reader().get(Family::insights, key));
  const std::string wanted = "," + std::to_string(evidence.step) + ",";
  return steps && ("," + *steps).find(wanted) != std::string::npos;
}

/// What took the place of `id`, itself when nothing did; the heir of the same sign last.
Result<std::vector<InsightId>> InsightWriter::heirs(const InsightId& id) {
  constexpr std::size_t kMostHeirs = 32;
  std::vector<InsightId> open{id};
  std::vector<InsightId> living;
  for (std::size_t at = 0; at < open.size() && at < kMostHeirs; ++at) {
    WARPMIND_TRY(const auto stored, require_insight(reader(), open[at]));
    if (stored.successors.empty()) living.push_back(open[at]);
    for (const auto& next : stored.successors) {
      append_unique(open, next);
    }
  }
  return living;
}

Result<Insight> InsightWriter::confirm(const InsightId& id, const InsightEvent& event) {
  const Insight& content = *event.content;
  WARPMIND_TRY(const auto targets, heirs(id));
  std::vector<std::vector<InsightEvent>> prepared(targets.size());
  for (std::size_t i = 0; i < targets.size(); ++i) {
    WARPMIND_TRY(const auto stored, require_insight(reader(), targets[i]));
    const bool flips = is_negative(stored.insight) != is_negative(content);
    for (const auto& evidence : content.evidence) {
      WARPMIND_TRY(const bool known, is_cited(targets[i], evidence));
      if (known) continue;
      InsightEvent next = like(event, targets[i], InsightOp::evidence);
      next.evidence = flips ? turned(evidence) : evidence;
      auto checked = check_evidence(reader(), stored.insight, next);
      // Of several heirs each takes what lies in its scope.
      if (!checked && targets[i] != id && checked.error().code == Errc::invalid_argument) continue;
      WARPMIND_CHECK(std::move(checked));
      prepared[i].push_back(std::move(next));
    }
    if (i + 1 < targets.size() || flips) continue;
    for (const auto& attestation : content.attestations) {
      if (!is_news(stored.insight, attestation)) continue;
      WARPMIND_CHECK(check_attestation(attestation));
      InsightEvent next = like(event, targets[i], InsightOp::attest);
      next.attestation = attestation;
      next.source = content.provenance.source;
      prepared[i].push_back(std::move(next));
    }
  }
  for (std::size_t i = 0; i < targets.size(); ++i) {
    std::optional<StoredInsight> last;
    for (auto& next : prepared[i]) {
      WARPMIND_TRY(auto projected, store(std::move(next)));
      last = std::move(projected.front());
    }
    if (!last) continue;
    WARPMIND_TRY(const auto concluded, conclude(std::move(*last), event.at));
    (void)concluded;
  }
  WARPMIND_TRY(auto now, require_insight(reader(), targets.empty() ? id : targets.back()));
  return std::move(now.insight);
}

Result<Insight> InsightWriter::add_or_confirm(InsightEvent event) {
  if (!event.content) return fail(Errc::invalid_argument, "there is no claim to add");
  event.op = InsightOp::add;
  normalise(*event.content);
  const Insight whole = *event.content;
  event.insight = event.content->id = id_of(whole);
  event.content->evidence.clear();
  event.content->attestations.clear();
  WARPMIND_CHECK(check_actor(event.actor));
  WARPMIND_CHECK(check_claim(whole));
  InsightEvent brought = event;
  brought.content = whole;
  WARPMIND_TRY(const auto known, reader().get(Family::insights, insight_key(event.insight)));
  if (known) return confirm(event.insight, brought);
  WARPMIND_TRY(const auto near, find_near(reader(), whole));
  for (const auto& id : near) {
    auto merged = confirm(id, brought);
    // Nothing was written: the evidence does not fit there.
    if (!merged && merged.error().code == Errc::invalid_argument) continue;
    return merged;
  }
  WARPMIND_CHECK(check_add(event));
  for (const auto& evidence : whole.evidence) {
    InsightEvent next = like(event, event.insight, InsightOp::evidence);
    next.evidence = evidence;
    WARPMIND_CHECK(check_evidence(reader(), whole, next));
  }
  const InsightId id = event.insight;
  WARPMIND_TRY(auto projected, store(std::move(event)));
  if (whole.evidence.empty() && whole.attestations.empty()) {
    return std::move(projected.front().insight);
  }
  return confirm(id, brought);
}

Result<std::vector<std::string>> InsightWriter::quarantine_harmful(
    const std::vector<InsightId>& ids, UnixMillis at) {
  std::vector<std::string> lines;
  for (const auto& id : ids) {
    WARPMIND_TRY(const auto stored, load_insight(reader(), id));
    if (!stored || stored->insight.pinned || !is_offered(stored->insight.state)) continue;
    InsightEvent event;
    event.insight = id;
    event.op = InsightOp::transition;
    event.actor = {std::string(kLift),
                   "steps that saw it gained less than steps it was withheld from"};
    event.at = at;
    event.state = InsightState::quarantined;
    WARPMIND_TRY(const auto projected, store(std::move(event)));
    lines.push_back(id.str() + " quarantined: " + projected.front().stated_reason);
  }
  return lines;
}

/// Everything of the whole that lies on this side, under the gate's name.
Result<void> InsightWriter::write_side(const StoredInsight& contested, const SplitSide& side,
                                       const Actor& gate, UnixMillis at) {
  InsightEvent event;
  event.op = InsightOp::add;
  event.actor = gate;
  event.at = at;
  event.content = side.claim;
  normalise(*event.content);
  event.insight = event.content->id = id_of(*event.content);
  const InsightId id = event.insight;
  WARPMIND_TRY(auto stored, load_insight(reader(), id));
  if (!stored) {
    WARPMIND_TRY(auto projected, store(std::move(event)));
    stored = std::move(projected.front());
  }
  WARPMIND_TRY(const auto without, projection_.distrusted());
  WARPMIND_TRY(const auto history, load_history(reader(), contested.insight.id));
  const auto taken_back = undone(history, without);
  for (const auto& [sequence, position, said] : history) {
    if (said.op != InsightOp::evidence || !is_counted(said, without)) continue;
    if (taken_back.contains({sequence, static_cast<std::int64_t>(position)})) continue;
    if (!admits(stored->insight.scope, *said.evidence, said.capability)) continue;
    WARPMIND_TRY(const bool known, is_cited(id, *said.evidence));
    if (known) continue;
    InsightEvent next = said;
    next.insight = id;
    next.actor = gate;
    next.at = at;
    if (side.opposite) next.evidence = turned(*said.evidence);
    WARPMIND_TRY(auto projected, store(std::move(next)));
    stored = std::move(projected.front());
  }
  WARPMIND_TRY(const auto concluded, conclude(std::move(*stored), at));
  (void)concluded;
  return {};
}

Result<StoredInsight> InsightWriter::split(const StoredInsight& contested, const ScopeSplit& plan,
                                           UnixMillis at) {
  const Actor gate{std::string(kGate), "both sides hold, apart by " + plan.by};
  StoredInsight whole = contested;
  for (const auto& side : plan.sides) {
    WARPMIND_CHECK(write_side(contested, side, gate, at));
    InsightEvent event;
    event.insight = contested.insight.id;
    event.op = InsightOp::supersede;
    event.actor = gate;
    event.at = at;
    Insight claim = side.claim;
    normalise(claim);
    event.other = id_of(claim);
    WARPMIND_TRY(auto projected, store(std::move(event)));
    whole = std::move(projected.front());
  }
  return whole;
}

Result<void> replay_insight_events(ChangeSet& change, std::int64_t sequence) {
  WARPMIND_TRY(const auto events, change.entries(Family::insights, insight_event_prefix(sequence)));
  InsightProjection projection(change);
  std::size_t position = 0;
  for (const auto& [key, value] : events) {
    WARPMIND_TRY(auto event, decode_event(value));
    WARPMIND_TRY(const auto projected, projection.take({sequence, position++, std::move(event)}));
    (void)projected;
  }
  return {};
}

}  // namespace warpmind::knowledge_base
