// What InsightLibrary reads: each answer of one consistent state.

#include "base/text.h"
#include "config/nearest_name.h"
#include "knowledge_base/insights/insight_library.h"
#include "knowledge_base/insights/record_reader.h"
#include "knowledge_base/insights/wording.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/open_base.h"
#include "knowledge_base/record_codec.h"

#include <algorithm>
#include <cmath>

namespace warpmind::knowledge_base {
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
    WARPMIND_TRY(auto events, load_history(reader, id));
    const auto taken_back = undone(events, distrusted_among(sources));
    std::vector<HistoryEntry> entries;
    entries.reserve(events.size());
    for (auto& [sequence, position, event] : events) {
      HistoryEntry entry;
      entry.sequence = sequence;
      entry.position = static_cast<std::int64_t>(position);
      entry.undone = taken_back.contains({entry.sequence, entry.position});
      entry.summary = event_text(event);
      entry.event = std::move(event);
      entries.push_back(std::move(entry));
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
    for (const auto& source : sources) {
      reports.push_back({source.name, source.quarantined(), source.insights});
    }
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
