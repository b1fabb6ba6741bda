#include "knowledge_base/insights/insight_library.h"

#include "base/log.h"
#include "knowledge_base/insights/insight_writer.h"
#include "knowledge_base/insights/near_duplicates.h"
#include "knowledge_base/insights/technique_records.h"
#include "knowledge_base/insights/validation.h"
#include "knowledge_base/insights/wording.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"

#include <algorithm>

namespace warpmind::knowledge_base {
namespace {

/// About what one event of one insight puts on the disk, its search document too.
constexpr std::int64_t kBytesPerEvent = 32LL * 1024;

using Work = std::function<Result<Insight>(InsightWriter&, ChangeSet&)>;

/// One durable change about insights; what `work` returns.
Result<Insight> change_insight(OpenBase& base, const Work& work) {
  Insight result;
  WARPMIND_CHECK(base.write(kBytesPerEvent, [&](ChangeSet& change) -> Result<void> {
    InsightWriter writer(change);
    WARPMIND_TRY(result, work(writer, change));
    std::vector<std::string> ids;
    for (const auto& id : writer.touched()) ids.push_back(id.str());
    change.describe("insights", std::move(ids));
    return {};
  }));
  return result;
}

InsightEvent event_of(const OpenBase& base, const InsightId& id, InsightOp op, const Actor& actor) {
  InsightEvent event;
  event.insight = id;
  event.op = op;
  event.actor = actor;
  event.at = base.location().clock.wall();
  return event;
}

Result<void> check_local_source(const Provenance& provenance) {
  for (const std::string_view prefix : {"user:", "agent:", "llm:"}) {
    if (provenance.source.starts_with(prefix)) return {};
  }
  return fail(Errc::invalid_argument,
              "a claim's source is user:<name>, agent:<name> or llm:<name>, not '" +
                  shortened(provenance.source, 60) + "'");
}

void warn_of_unknown(const RecordReader& reader, const Insight& claim) {
  for (const auto& name : claim.action.techniques) {
    const auto known = reader.get(Family::techniques, technique_key(name));
    if (known && !*known) {
      log::warn("knowledge_base", "a claim names a technique without a card",
                {{"technique", name}, {"insight", claim.id}});
    }
  }
}

Result<Insight> add_claim(const OpenBase& base, InsightWriter& writer, Insight claim,
                          const Actor& actor) {
  const auto evidence = std::move(claim.evidence);
  const auto olds = claim.supersedes;
  claim.evidence.clear();
  normalise(claim);
  claim.id = id_of(claim);
  WARPMIND_CHECK(check_claim(claim));
  WARPMIND_TRY(const auto near, find_near(writer.reader(), claim));
  if (!near.empty()) {
    WARPMIND_TRY(const auto stored, require_insight(writer.reader(), near.front()));
    return fail(Errc::conflict, near.front().str() + " says nearly the same ('" +
                                    shortened(stored.insight.claim, 120) +
                                    "'): add evidence to it, or edit it");
  }
  warn_of_unknown(writer.reader(), claim);
  InsightEvent event = event_of(base, claim.id, InsightOp::add, actor);
  event.content = std::move(claim);
  WARPMIND_TRY(Insight now, writer.apply(event));
  for (const auto& cited : evidence) {
    InsightEvent next = event_of(base, now.id, InsightOp::evidence, actor);
    next.evidence = cited;
    WARPMIND_TRY(now, writer.apply(std::move(next)));
  }
  for (const auto& old : olds) {
    InsightEvent next = event_of(base, old, InsightOp::supersede, actor);
    next.other = event.insight.empty() ? now.id : event.insight;
    WARPMIND_TRY(const auto superseded, writer.apply(std::move(next)));
    (void)superseded;
  }
  WARPMIND_TRY(auto stored, require_insight(writer.reader(), event.insight));
  return std::move(stored.insight);
}

/// The newest event that a person may take back; with `sequence`, of that change.
Result<LoggedEvent> event_to_undo(const std::vector<LoggedEvent>& history,
                                  const Distrusted& without, const InsightId& id,
                                  std::optional<std::int64_t> sequence) {
  const auto taken_back = undone(history, without);
  const LoggedEvent* gates = nullptr;
  for (auto it = history.rbegin(); it != history.rend(); ++it) {
    if (sequence && it->sequence != *sequence) continue;
    if (taken_back.contains({it->sequence, static_cast<std::int64_t>(it->position)})) continue;
    const InsightOp op = it->event.op;
    if (op == InsightOp::distrust || op == InsightOp::trust) continue;
    // What the gate concluded goes with the evidence that it came from.
    if (op == InsightOp::transition && it->event.actor.name == kGate) {
      if (gates == nullptr) gates = &*it;
      continue;
    }
    if (op == InsightOp::add && !sequence) break;
    return *it;
  }
  if (sequence && gates != nullptr) return *gates;
  return fail(sequence ? Errc::not_found : Errc::invalid_argument,
              sequence
                  ? "change " + std::to_string(*sequence) + " did nothing to " + id.str() +
                        " that is not undone"
                  : "nothing was done to " + id.str() + " since it was said: retract it instead");
}

}  // namespace

Result<Insight> InsightLibrary::add(Insight claim, const Actor& actor) {
  if (claim.provenance.source.empty()) claim.provenance.source = actor.name;
  WARPMIND_CHECK(check_local_source(claim.provenance));
  if (!claim.attestations.empty()) {
    return fail(Errc::invalid_argument, "attestations come with packs: leave them out");
  }
  return change_insight(base_, [&](InsightWriter& writer, ChangeSet&) {
    return add_claim(base_, writer, claim, actor);
  });
}

Result<Insight> InsightLibrary::edit(const InsightId& id, const InsightAmendment& amendment,
                                     const Actor& actor) {
  return change_insight(base_, [&](InsightWriter& writer, ChangeSet&) {
    InsightEvent event = event_of(base_, id, InsightOp::amend, actor);
    event.amendment = amendment;
    return writer.apply(std::move(event));
  });
}

Result<Insight> InsightLibrary::command(const InsightId& id, InsightCommand command,
                                        const Actor& actor) {
  return change_insight(base_, [&](InsightWriter& writer, ChangeSet&) {
    InsightEvent event = event_of(base_, id, InsightOp::transition, actor);
    switch (command) {
      case InsightCommand::retire: event.state = InsightState::deprecated; break;
      case InsightCommand::retract: event.state = InsightState::retracted; break;
      case InsightCommand::quarantine: event.state = InsightState::quarantined; break;
      case InsightCommand::reinstate: event.state = InsightState::proposed; break;
      case InsightCommand::pin: event.op = InsightOp::pin; break;
      case InsightCommand::unpin: event.op = InsightOp::unpin; break;
    }
    return writer.apply(std::move(event));
  });
}

Result<Insight> InsightLibrary::supersede(const InsightId& id, const InsightId& successor,
                                          const Actor& actor) {
  return change_insight(base_, [&](InsightWriter& writer, ChangeSet&) {
    InsightEvent event = event_of(base_, id, InsightOp::supersede, actor);
    event.other = successor;
    return writer.apply(std::move(event));
  });
}

Result<Insight> InsightLibrary::undo(const InsightId& id, std::optional<std::int64_t> sequence,
                                     const Actor& actor) {
  return change_insight(base_, [&](InsightWriter& writer, ChangeSet&) -> Result<Insight> {
    WARPMIND_TRY(const auto stored, require_insight(writer.reader(), id));
    (void)stored;
    WARPMIND_TRY(const auto history, load_history(writer.reader(), id));
    WARPMIND_TRY(const auto sources, load_sources(writer.reader()));
    WARPMIND_TRY(const auto target,
                 event_to_undo(history, distrusted_among(sources), id, sequence));
    InsightEvent event = event_of(base_, id, InsightOp::undo, actor);
    event.undone_sequence = target.sequence;
    event.undone_position = static_cast<std::int64_t>(target.position);
    WARPMIND_TRY(const auto applied, writer.apply(std::move(event)));
    (void)applied;
    // A supersede is undone under the name of the one that was superseded.
    WARPMIND_TRY(auto now, require_insight(writer.reader(), id));
    return std::move(now.insight);
  });
}

Result<SourceReport> InsightLibrary::quarantine_source(const std::string& source, bool quarantined,
                                                       const Actor& actor) {
  SourceReport report;
  WARPMIND_CHECK(base_.write(kBytesPerEvent, [&](ChangeSet& change) -> Result<void> {
    InsightWriter writer(change);
    InsightEvent event =
        event_of(base_, {}, quarantined ? InsightOp::distrust : InsightOp::trust, actor);
    event.source = source;
    WARPMIND_TRY(const auto first, writer.apply(std::move(event)));
    (void)first;
    WARPMIND_TRY(const auto stored, load_source(writer.reader(), source));
    report = {source, stored.quarantined(), stored.insights};
    change.describe("insights", {"source " + source});
    return {};
  }));
  return report;
}

Result<Technique> InsightLibrary::put_technique(Technique technique, const Actor& actor) {
  WARPMIND_CHECK(check_actor(actor));
  WARPMIND_CHECK(check_technique(technique));
  technique.edited = true;
  WARPMIND_CHECK(base_.write(kBytesPerEvent, [&](ChangeSet& change) -> Result<void> {
    WARPMIND_TRY(const auto before, load_technique(change, technique.name));
    technique.source = before ? before->source : actor.name;
    WARPMIND_TRY(const bool written, store_technique(change, technique, actor));
    (void)written;
    change.describe("techniques", {technique.name});
    return {};
  }));
  return technique;
}

}  // namespace warpmind::knowledge_base
