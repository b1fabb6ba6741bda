// What InsightWriter refuses before it writes anything.
#include "knowledge_base/insights/insight_writer.h"

#include "base/log.h"
#include "base/part.h"
#include "base/sequence.h"
#include "knowledge_base/insights/claim_scope.h"
#include "knowledge_base/insights/gate.h"
#include "knowledge_base/insights/near_duplicates.h"
#include "knowledge_base/insights/reflection.h"
#include "knowledge_base/insights/validation.h"
#include "knowledge_base/insights/wording.h"
#include "knowledge_base/key_codec.h"

#include <algorithm>
#include <set>
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

Result<Insight> InsightWriter::write_event(InsightEvent event) {
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
  amend_words(amended, *event.amendment);
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

namespace {

/// Claims of other people about the same thing that get a measurement.
constexpr std::size_t kMostCovering = 16;
/// Sets of parameters of one technique that are looked up when they did not help.
constexpr std::size_t kMostParameters = 256;
constexpr std::size_t kLeastFailures = 2;

/// Writes what one episode teaches. One an episode.
class Lesson {
 public:
  Lesson(InsightWriter& writer, const Episode& episode, std::vector<Dtype> dtypes)
      : writer_(writer), episode_(episode), dtypes_(std::move(dtypes)) {}

  Result<void> learn(const TechniqueTries& group) {
    std::set<std::string> seen;
    for (const auto& made : group.tries) {
      if (made.gained) {
        WARPMIND_CHECK(add(positive(group, made), evidence(made.step, true)));
      }
      if (!made.gained && seen.size() >= kMostParameters) continue;
      seen.insert(made.parameters);
      if (!made.parameters.empty()) {
        WARPMIND_CHECK(tell(claim(group, InsightKind::positive, made.parameters),
                            evidence(made.step, made.gained)));
      }
    }
    return learn_as_whole(group);
  }

  Result<void> learn_sequence(const std::vector<std::string>& sequence,
                              const std::vector<TechniqueTries>& groups) {
    const auto way = way_to(episode_, static_cast<std::size_t>(episode_.best_step));
    const std::size_t position = way.front();
    const BottleneckClass begin = episode_.steps[position].before.primary;
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const TechniqueTries& g) {
      return g.technique == sequence.front() && g.bottleneck == begin;
    });
    if (group == groups.end()) return {};
    Insight insight = claim(*group, InsightKind::composite, "");
    insight.action.techniques = sequence;
    describe(insight, *group, position);
    insight.mechanism = parameters_on(way);
    const auto cited = evidence(static_cast<std::size_t>(episode_.best_step), true);
    WARPMIND_CHECK(add(insight, cited));
    return tell(insight, cited);
  }

 private:
  /// What is said of the technique without parameters gets one measurement an episode: its best
  /// try, for a sweep that found something is a success however many of its points lost.
  Result<void> learn_as_whole(const TechniqueTries& group) {
    const TechniqueTry& best = group.best();
    const auto cited = evidence(best.step, best.gained);
    WARPMIND_CHECK(tell(claim(group, InsightKind::positive, ""), cited));
    Insight negative = claim(group, InsightKind::negative, "");
    auto turned_round = turned(cited);
    if (!best.gained && group.tries.size() >= kLeastFailures) {
      describe(negative, group, best.step);
      WARPMIND_CHECK(add(negative, turned_round));
    }
    return tell(negative, turned_round);
  }

  [[nodiscard]] Insight claim(const TechniqueTries& group, InsightKind kind,
                              const std::string& parameters) const {
    return claim_about(episode_, dtypes_, kind, {part<TechniqueSetting>(group), parameters});
  }

  [[nodiscard]] Insight positive(const TechniqueTries& group, const TechniqueTry& made) const {
    Insight insight = claim(group, InsightKind::positive, made.parameters);
    describe(insight, group, made.step);
    return insight;
  }

  /// Wording and signatures, which its id does not depend on.
  void describe(Insight& insight, const TechniqueTries& group, std::size_t position) const {
    insight.claim = claim_text(insight);
    insight.provenance.author = episode_.steps[position].candidate.proposer;
    sign(insight, episode_, position, group.device);
  }

  [[nodiscard]] std::string parameters_on(const std::vector<std::size_t>& way) const {
    std::string text;
    for (const std::size_t i : way) {
      const Step& step = episode_.steps[i];
      if (step.candidate.parameters.empty()) continue;
      text += (text.empty() ? "measured with " : "; ") + step.candidate.technique + " " +
              step.candidate.parameters;
    }
    return shortened(text, 400);
  }

  /// The rest is read from the step when it is checked.
  [[nodiscard]] EvidenceRef evidence(std::size_t step, bool supports) const {
    EvidenceRef cited;
    cited.episode = episode_.id;
    cited.step = static_cast<std::int64_t>(step);
    cited.provider = episode_.provider;
    cited.supports = supports;
    return cited;
  }

  [[nodiscard]] InsightEvent saying(Insight content, const EvidenceRef& cited) const {
    InsightEvent event;
    event.op = InsightOp::add;
    event.actor = {"episode " + episode_.id.str(), ""};
    event.at = episode_.finished;
    content.evidence = {cited};
    event.content = std::move(content);
    return event;
  }

  /// A proposer's odd names and parameters teach nothing; they must not cost the episode.
  static Result<void> unless_refused(const Result<Insight>& done) {
    if (done) return {};
    if (done.error().code != Errc::invalid_argument) return fail(done.error());
    log::warn("knowledge_base", "a step taught nothing", {{"why", done.error().message}});
    return {};
  }

  Result<void> add(const Insight& insight, const EvidenceRef& cited) {
    return unless_refused(writer_.add_or_confirm(saying(insight, cited)));
  }

  /// Gives the measurement to every claim that covers the situation and has it not yet.
  Result<void> tell(const Insight& like, const EvidenceRef& cited) {
    WARPMIND_TRY(const auto ids, find_covering(writer_.reader(), like, kMostCovering));
    for (const auto& id : ids) {
      WARPMIND_CHECK(unless_refused(writer_.confirm(id, saying(like, cited))));
    }
    return {};
  }

  InsightWriter& writer_;
  const Episode& episode_;
  const std::vector<Dtype> dtypes_;
};

}  // namespace

Result<std::vector<std::string>> learn_insights(InsightWriter& writer, const Episode& episode) {
  const auto groups = tries_of(episode);
  std::vector<std::string> lines;
  if (groups.empty()) return lines;
  const std::size_t before = writer.touched().size();
  WARPMIND_TRY(auto dtypes, dtypes_of(writer.reader(), episode.task));
  Lesson lesson(writer, episode, std::move(dtypes));
  for (const auto& group : groups) WARPMIND_CHECK(lesson.learn(group));
  if (const auto sequence = sequence_of(episode); !sequence.empty()) {
    WARPMIND_CHECK(lesson.learn_sequence(sequence, groups));
  }
  for (std::size_t i = before; i < writer.touched().size(); ++i) {
    WARPMIND_TRY(const auto stored, require_insight(writer.reader(), writer.touched()[i]));
    lines.push_back(lesson_text(stored));
  }
  return lines;
}

}  // namespace warpmind::knowledge_base
