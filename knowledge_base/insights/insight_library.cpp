// What InsightLibrary reads: each answer of one consistent state.
#include "knowledge_base/insights/insight_library.h"

#include "base/log.h"
#include "base/text.h"
#include "config/nearest_name.h"
#include "knowledge_base/insights/insight_writer.h"
#include "knowledge_base/insights/near_duplicates.h"
#include "knowledge_base/insights/record_reader.h"
#include "knowledge_base/insights/technique_records.h"
#include "knowledge_base/insights/validation.h"
#include "knowledge_base/insights/wording.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/record_codec.h"

#include <algorithm>
#include <cmath>

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
  WARPMIND_TRY(Insight now, writer.write_event(event));
  for (const auto& cited : evidence) {
    InsightEvent next = event_of(base, now.id, InsightOp::evidence, actor);
    next.evidence = cited;
    WARPMIND_TRY(now, writer.write_event(std::move(next)));
  }
  for (const auto& old : olds) {
    InsightEvent next = event_of(base, old, InsightOp::supersede, actor);
    next.other = event.insight.empty() ? now.id : event.insight;
    WARPMIND_TRY(const auto superseded, writer.write_event(std::move(next)));
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
    return writer.write_event(std::move(event));
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
    return writer.write_event(std::move(event));
  });
}

Result<Insight> InsightLibrary::supersede(const InsightId& id, const InsightId& successor,
                                          const Actor& actor) {
  return change_insight(base_, [&](InsightWriter& writer, ChangeSet&) {
    InsightEvent event = event_of(base_, id, InsightOp::supersede, actor);
    event.other = successor;
    return writer.write_event(std::move(event));
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
    WARPMIND_TRY(const auto applied, writer.write_event(std::move(event)));
    (void)applied;
    // A supersede is undone under the name of the one that was superseded.
    WARPMIND_TRY(auto now, require_insight(writer.reader(), id));
    return std::move(now.insight);
  });
}

namespace {

Result<std::map<std::string, std::int64_t>> skills_by_source(const RecordReader& reader) {
  WARPMIND_TRY(const auto entries, reader.entries(Family::techniques, skill_prefix(), kAllEntries));
  std::map<std::string, std::int64_t> counts;
  for (const auto& [key, value] : entries) ++counts[source_in_skill_key(key)];
  return counts;
}

}  // namespace

Result<SourceReport> InsightLibrary::quarantine_source(const std::string& source, bool quarantined,
                                                       const Actor& actor) {
  SourceReport report;
  WARPMIND_CHECK(base_.write(kBytesPerEvent, [&](ChangeSet& change) -> Result<void> {
    InsightWriter writer(change);
    InsightEvent event =
        event_of(base_, {}, quarantined ? InsightOp::distrust : InsightOp::trust, actor);
    event.source = source;
    WARPMIND_TRY(const auto first, writer.write_event(std::move(event)));
    (void)first;
    WARPMIND_TRY(const auto stored, load_source(writer.reader(), source));
    WARPMIND_TRY(auto skills, skills_by_source(writer.reader()));
    report = {source, stored.quarantined(), stored.insights, skills[source]};
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

namespace {

/// Runs `f(reader)` on a snapshot.
template <class F>
auto read(const OpenBase& base, const F& f) -> decltype(f(std::declval<const RecordReader&>())) {
  return base.read([&f](const Database& database, const std::string&) {
    const Snapshot snapshot = database.snapshot();
    return f(reading(database, snapshot.get()));
  });
}

Result<Insight> only_match(const RecordReader& reader, const std::string& prefix) {
  constexpr std::size_t kNamed = 5;
  WARPMIND_TRY(const auto found,
               reader.entries(Family::insights, insight_prefix() + prefix, kNamed + 1));
  if (found.empty()) {
    return fail(Errc::not_found, "there is no insight '" + shortened(prefix, 60) +
                                     "'; `warpmind kb search WORDS` lists ids");
  }
  if (found.size() == 1) return decode_insight(found.begin()->second);
  std::string names;
  for (const auto& [key, value] : found) {
    names += (names.empty() ? "" : ", ") + text_after(insight_prefix(), key);
  }
  return fail(Errc::invalid_argument, "'" + prefix + "' begins several insights (" + names +
                                          (found.size() > kNamed ? ", …" : "") +
                                          "): give more of the id");
}

/// Fields that an event sets.
std::vector<std::string> fields_of(const InsightEvent& event, const InsightId& id) {
  switch (event.op) {
    case InsightOp::add:
      return {"kind",  "claim", "mechanism", "techniques", "parameters",
              "scope", "space", "source",    "state",      "trust"};
    case InsightOp::evidence: return {"evidence", "utility"};
    case InsightOp::attest: return {"attestations"};
    case InsightOp::amend: {
      std::vector<std::string> fields;
      if (event.amendment->claim) fields.emplace_back("claim");
      if (event.amendment->mechanism) fields.emplace_back("mechanism");
      if (event.amendment->parameters) fields.emplace_back("parameters");
      if (event.amendment->scope) fields.emplace_back("scope");
      if (event.amendment->space) fields.emplace_back("space");
      return fields;
    }
    case InsightOp::transition: return {"state", "trust"};
    case InsightOp::pin:
    case InsightOp::unpin: return {"pinned", "trust"};
    case InsightOp::supersede:
      if (event.other == id) return {"supersedes"};
      return {"state", "superseded_by"};
    case InsightOp::distrust:
    case InsightOp::trust: return {"state", "trust", "utility"};
    case InsightOp::undo: return {};
  }
  return {};
}

std::string value_of(const Insight& insight, const std::string& field) {
  if (field == "kind") return std::string(name_of(insight.kind));
  if (field == "claim") return insight.claim;
  if (field == "mechanism") return insight.mechanism;
  if (field == "techniques") return action_text({insight.action.techniques, ""});
  if (field == "parameters") return insight.action.parameters;
  if (field == "scope") {
    const std::string text = scope_text(insight.scope);
    return text.empty() ? "anywhere" : text.substr(1);
  }
  if (field == "space") return insight.space;
  if (field == "source") return insight.provenance.source;
  if (field == "state") return std::string(name_of(insight.state));
  if (field == "trust") return std::string(name_of(insight.trust));
  if (field == "pinned") return insight.pinned ? "yes" : "no";
  if (field == "superseded_by") return insight.superseded_by.str();
  if (field == "evidence") return std::to_string(insight.utility.observations);
  if (field == "attestations") return std::to_string(insight.attestations.size());
  if (field == "supersedes") return std::to_string(insight.supersedes.size());
  return fixed(std::exp(insight.utility.mean), 2) + "x";
}

}  // namespace

Result<Insight> InsightLibrary::find(const std::string& prefix) const {
  return read(base_, [&](const RecordReader& reader) -> Result<Insight> {
    if (prefix.size() < 3 || !prefix.starts_with("i-")) {
      return fail(Errc::invalid_argument,
                  "an insight is named by its id or the beginning of it, as i-3fa");
    }
    WARPMIND_TRY(auto exact, load_insight(reader, InsightId(prefix)));
    if (exact) return std::move(exact->insight);
    return only_match(reader, prefix);
  });
}

Result<Insight> InsightLibrary::as_of(const InsightId& id, std::int64_t sequence) const {
  return read(base_, [&](const RecordReader& reader) -> Result<Insight> {
    WARPMIND_TRY(const auto stored, require_insight(reader, id));
    if (stored.insight.changed <= sequence) return stored.insight;
    if (stored.insight.created > sequence) {
      return fail(Errc::not_found,
                  id.str() + " was first said in change " + std::to_string(stored.insight.created));
    }
    WARPMIND_TRY(const auto history, load_history(reader, id, sequence));
    WARPMIND_TRY(const auto sources, load_sources(reader));
    WARPMIND_TRY(auto folded, fold(id, history, distrusted_among(sources, sequence)));
    return std::move(folded.insight);
  });
}

Result<std::vector<HistoryEntry>> InsightLibrary::history(const InsightId& id) const {
  return read(base_, [&](const RecordReader& reader) -> Result<std::vector<HistoryEntry>> {
    WARPMIND_TRY(const auto stored, require_insight(reader, id));
    (void)stored;
    WARPMIND_TRY(const auto sources, load_sources(reader));
    WARPMIND_TRY(const auto events, load_history(reader, id));
    const auto taken_back = undone(events, distrusted_among(sources));
    std::vector<HistoryEntry> entries;
    entries.reserve(events.size());
    for (const auto& [sequence, position, event] : events) {
      const auto place = static_cast<std::int64_t>(position);
      entries.push_back({sequence, place, event.at, event.op, event.actor.name, event.actor.reason,
                         event_text(event), taken_back.contains({sequence, place})});
    }
    return entries;
  });
}

Result<std::vector<InsightChange>> InsightLibrary::changes(std::int64_t sequence) const {
  return read(base_, [&](const RecordReader& reader) -> Result<std::vector<InsightChange>> {
    WARPMIND_TRY(const auto events,
                 reader.entries(Family::insights, insight_event_prefix(sequence), kAllEntries));
    std::vector<InsightChange> changes;
    for (const auto& [key, value] : events) {
      WARPMIND_TRY(auto event, decode_event(value));
      WARPMIND_TRY(auto stored, load_insight(reader, event.insight));
      if (stored) changes.push_back({std::move(stored->insight), std::move(event)});
    }
    return changes;
  });
}

Result<std::vector<BlameLine>> InsightLibrary::blame(const InsightId& id) const {
  return read(base_, [&](const RecordReader& reader) -> Result<std::vector<BlameLine>> {
    WARPMIND_TRY(const auto stored, require_insight(reader, id));
    WARPMIND_TRY(const auto sources, load_sources(reader));
    WARPMIND_TRY(const auto events, load_history(reader, id));
    const auto without = distrusted_among(sources);
    const auto taken_back = undone(events, without);
    std::vector<BlameLine> lines;
    for (const auto& [sequence, position, event] : events) {
      const bool is_add = event.op == InsightOp::add;
      if (taken_back.contains({sequence, static_cast<std::int64_t>(position)})) continue;
      if (!is_add && !is_counted(event, without)) continue;
      for (const auto& field : fields_of(event, id)) {
        const auto known = std::find_if(lines.begin(), lines.end(),
                                        [&field](const BlameLine& l) { return l.field == field; });
        const auto line = known != lines.end() ? known : lines.insert(lines.end(), BlameLine{});
        *line = {field, value_of(stored.insight, field), sequence, event.actor.name};
      }
    }
    return lines;
  });
}

Result<std::vector<Insight>> InsightLibrary::in_state(InsightState state) const {
  constexpr std::size_t kMost = 200;
  std::vector<Insight> found;
  WARPMIND_TRY(const auto by_state, counts());
  const auto counted = by_state.find("state." + std::string(name_of(state)));
  if (counted == by_state.end() || counted->second == 0) return found;
  const auto visit = [&](std::string_view, std::string_view value) -> Result<bool> {
    WARPMIND_TRY(auto stored, decode_stored_insight(value));
    if (stored.insight.state == state) found.push_back(std::move(stored.insight));
    return found.size() < kMost;
  };
  WARPMIND_CHECK(base_.read([&visit](const Database& database, const std::string&) {
    return database.scan({Family::insights, insight_prefix(), ScanOrder::ascending}, visit);
  }));
  return found;
}

Result<std::map<std::string, std::int64_t>> InsightLibrary::counts() const {
  return read(base_, [](const RecordReader& reader) -> Result<std::map<std::string, std::int64_t>> {
    const std::string prefix = insight_count_prefix();
    WARPMIND_TRY(const auto entries, reader.entries(Family::insights, prefix, kAllEntries));
    std::map<std::string, std::int64_t> counts;
    for (const auto& [key, value] : entries) {
      WARPMIND_TRY(counts[text_after(prefix, key)], decode_number(value));
    }
    return counts;
  });
}

Result<std::vector<SourceReport>> InsightLibrary::sources() const {
  return read(base_, [](const RecordReader& reader) -> Result<std::vector<SourceReport>> {
    WARPMIND_TRY(const auto sources, load_sources(reader));
    std::vector<SourceReport> reports;
    reports.reserve(sources.size());
    WARPMIND_TRY(auto skills, skills_by_source(reader));
    for (const auto& source : sources) {
      reports.push_back({source.name, source.quarantined(), source.insights, skills[source.name]});
      skills.erase(source.name);
    }
    // Packs that brought skills and nothing else.
    for (const auto& [source, count] : skills) reports.push_back({source, false, 0, count});
    return reports;
  });
}

Result<std::vector<Technique>> InsightLibrary::techniques() const {
  return read(base_, [](const RecordReader& reader) -> Result<std::vector<Technique>> {
    WARPMIND_TRY(const auto entries,
                 reader.entries(Family::techniques, technique_prefix(), kAllEntries));
    std::vector<Technique> all;
    all.reserve(entries.size());
    for (const auto& [key, value] : entries) {
      WARPMIND_TRY(auto technique, decode_technique(value));
      all.push_back(std::move(technique));
    }
    return all;
  });
}

Result<Technique> InsightLibrary::technique(const std::string& name) const {
  WARPMIND_TRY(const auto all, techniques());
  std::vector<std::string_view> names;
  for (const auto& one : all) {
    if (one.name == name) return one;
    names.push_back(one.name);
  }
  return fail(Errc::not_found, "there is no technique '" + shortened(name, 60) + "'" +
                                   config::suggestion(name, names));
}

Result<std::vector<TechniqueVersion>> InsightLibrary::technique_history(
    const std::string& name) const {
  return read(base_, [&](const RecordReader& reader) -> Result<std::vector<TechniqueVersion>> {
    WARPMIND_TRY(const auto entries,
                 reader.entries(Family::techniques, technique_history_prefix(name), kAllEntries));
    std::vector<TechniqueVersion> versions;
    for (const auto& [key, value] : entries) {
      WARPMIND_TRY(auto version, decode_technique_version(value));
      versions.push_back(std::move(version));
    }
    return versions;
  });
}

Result<std::vector<Fact>> InsightLibrary::facts(const std::string& subject) const {
  return read(base_, [&](const RecordReader& reader) -> Result<std::vector<Fact>> {
    WARPMIND_TRY(const auto entries,
                 reader.entries(Family::facts, fact_prefix(subject), kAllEntries));
    std::vector<Fact> all;
    all.reserve(entries.size());
    for (const auto& [key, value] : entries) {
      WARPMIND_TRY(auto fact, decode_fact(value));
      all.push_back(std::move(fact));
    }
    return all;
  });
}

}  // namespace warpmind::knowledge_base
