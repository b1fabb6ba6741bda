#include "knowledge_base/insights/insight_codec.h"

#include "base/codec/model_json.h"
#include "knowledge_base/sealed_json.h"

namespace warpmind::knowledge_base {
namespace {

using nlohmann::json;

/// Members that hold nothing are left out: every reader knows their default, which is nothing too.
void leave_out_empty(json& object) {
  for (auto it = object.begin(); it != object.end();) {
    if (it->is_object()) leave_out_empty(*it);
    const bool is_empty = it->is_null() || (it->is_structured() && it->empty()) ||
                          (it->is_string() && it->get_ref<const std::string&>().empty());
    it = is_empty ? object.erase(it) : std::next(it);
  }
}

Result<std::string> seal_compact(json payload, std::string_view what) {
  leave_out_empty(payload);
  return seal(payload, what);
}

template <class T>
Result<T> open_as(std::string_view bytes, std::string_view what) {
  WARPMIND_TRY(const auto payload, open_json(bytes, what));
  return codec::from_json<T>(payload, "stored " + std::string(what));
}

/// Member `name` as T, absent = nullopt.
template <class T>
Result<std::optional<T>> optional_member(const json& object, const char* name) {
  return member(object, name, std::optional<T>());
}

json json_of(const SideTally& side) {
  json witnesses = json::array();
  for (const auto& w : side.witnesses) {
    witnesses.push_back({{"episode", w.episode}, {"task", w.task}});
  }
  return {{"confirmed", side.confirmed}, {"weak", side.weak}, {"witnesses", witnesses}};
}

json json_of(const EvidenceCell& cell) {
  return {{"provider", cell.provider},
          {"device", cell.device},
          {"capability", cell.capability},
          {"operator_family", cell.operator_family},
          {"weight", cell.values.weight},
          {"mean", cell.values.mean},
          {"squares", cell.values.squares},
          {"supports", json_of(cell.supports)},
          {"contradicts", json_of(cell.contradicts)}};
}

Result<SideTally> side_of(const json& object, const char* name) {
  WARPMIND_TRY(const auto parsed, member(object, name, json::object()));
  SideTally side;
  WARPMIND_TRY(side.confirmed, member(parsed, "confirmed", side.confirmed));
  WARPMIND_TRY(side.weak, member(parsed, "weak", side.weak));
  WARPMIND_TRY(const auto witnesses, member(parsed, "witnesses", std::vector<json>()));
  for (const auto& item : witnesses) {
    Witness witness;
    WARPMIND_TRY(witness.episode, member(item, "episode", witness.episode));
    WARPMIND_TRY(witness.task, member(item, "task", witness.task));
    side.witnesses.push_back(std::move(witness));
  }
  return side;
}

Result<EvidenceCell> cell_of(const json& object) {
  EvidenceCell cell;
  WARPMIND_TRY(cell.provider, member(object, "provider", cell.provider));
  WARPMIND_TRY(cell.device, member(object, "device", cell.device));
  WARPMIND_TRY(cell.capability, member(object, "capability", cell.capability));
  WARPMIND_TRY(cell.operator_family, member(object, "operator_family", cell.operator_family));
  WARPMIND_TRY(cell.values.weight, member(object, "weight", cell.values.weight));
  WARPMIND_TRY(cell.values.mean, member(object, "mean", cell.values.mean));
  WARPMIND_TRY(cell.values.squares, member(object, "squares", cell.values.squares));
  WARPMIND_TRY(cell.supports, side_of(object, "supports"));
  WARPMIND_TRY(cell.contradicts, side_of(object, "contradicts"));
  return cell;
}

json json_of(const InsightAmendment& amendment) {
  json object = json::object();
  if (amendment.claim) object["claim"] = *amendment.claim;
  if (amendment.mechanism) object["mechanism"] = *amendment.mechanism;
  if (amendment.parameters) object["parameters"] = *amendment.parameters;
  if (amendment.scope) object["scope"] = *amendment.scope;
  if (amendment.space) object["space"] = *amendment.space;
  return object;
}

Result<InsightAmendment> amendment_of(const json& object) {
  InsightAmendment amendment;
  WARPMIND_TRY(amendment.claim, optional_member<std::string>(object, "claim"));
  WARPMIND_TRY(amendment.mechanism, optional_member<std::string>(object, "mechanism"));
  WARPMIND_TRY(amendment.parameters, optional_member<std::string>(object, "parameters"));
  WARPMIND_TRY(amendment.scope, optional_member<InsightScope>(object, "scope"));
  WARPMIND_TRY(amendment.space, optional_member<std::string>(object, "space"));
  return amendment;
}

}  // namespace

Result<std::string> encode_insight(const StoredInsight& stored) {
  json payload(stored.insight);
  json cells = json::array();
  for (const auto& cell : stored.cells) cells.push_back(json_of(cell));
  payload["fold"] = {{"cells", cells},
                     {"stated", stored.stated},
                     {"reason", stored.stated_reason},
                     {"held", stored.held},
                     {"successors", stored.successors}};
  return seal_compact(std::move(payload), "insight");
}

Result<Insight> decode_insight(std::string_view bytes) {
  return open_as<Insight>(bytes, "insight");
}

Result<StoredInsight> decode_stored_insight(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "insight"));
  StoredInsight stored;
  WARPMIND_TRY(stored.insight, codec::from_json<Insight>(payload, "stored insight"));
  WARPMIND_TRY(const auto fold, member(payload, "fold", json::object()));
  WARPMIND_TRY(const auto cells, member(fold, "cells", std::vector<json>()));
  for (const auto& item : cells) {
    WARPMIND_TRY(auto cell, cell_of(item));
    stored.cells.push_back(std::move(cell));
  }
  WARPMIND_TRY(stored.stated, member(fold, "stated", stored.insight.state));
  WARPMIND_TRY(stored.stated_reason, member(fold, "reason", std::string()));
  WARPMIND_TRY(stored.held, member(fold, "held", false));
  WARPMIND_TRY(stored.successors, member(fold, "successors", stored.successors));
  return stored;
}

Result<std::string> encode_event(const InsightEvent& event) {
  json payload{{"insight", event.insight},     {"op", event.op},      {"actor", event.actor.name},
               {"reason", event.actor.reason}, {"at", event.at},      {"source", event.source},
               {"because", event.because},     {"other", event.other}};
  if (event.content) payload["content"] = *event.content;
  if (event.evidence) payload["evidence"] = *event.evidence;
  if (event.attestation) payload["attestation"] = *event.attestation;
  if (event.state) payload["state"] = *event.state;
  if (event.outcome) payload["outcome"] = *event.outcome;
  if (event.capability != 0) payload["capability"] = event.capability;
  if (event.undone_sequence != 0) {
    payload["undone_sequence"] = event.undone_sequence;
    payload["undone_position"] = event.undone_position;
  }
  leave_out_empty(payload);
  // An amendment that empties a field says so with an empty text.
  if (event.amendment) payload["amendment"] = json_of(*event.amendment);
  return seal(payload, "insight event");
}

Result<InsightEvent> decode_event(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "insight event"));
  InsightEvent event;
  WARPMIND_TRY(event.insight, member(payload, "insight", event.insight));
  WARPMIND_TRY(event.op, member(payload, "op", event.op));
  WARPMIND_TRY(event.actor.name, member(payload, "actor", event.actor.name));
  WARPMIND_TRY(event.actor.reason, member(payload, "reason", event.actor.reason));
  WARPMIND_TRY(event.at, member(payload, "at", event.at));
  WARPMIND_TRY(event.content, optional_member<Insight>(payload, "content"));
  WARPMIND_TRY(event.evidence, optional_member<EvidenceRef>(payload, "evidence"));
  WARPMIND_TRY(event.attestation, optional_member<Attestation>(payload, "attestation"));
  WARPMIND_TRY(const auto amendment, optional_member<json>(payload, "amendment"));
  if (amendment) {
    WARPMIND_TRY(event.amendment, amendment_of(*amendment));
  }
  WARPMIND_TRY(event.state, optional_member<InsightState>(payload, "state"));
  WARPMIND_TRY(event.because, member(payload, "because", event.because));
  WARPMIND_TRY(event.other, member(payload, "other", event.other));
  WARPMIND_TRY(event.undone_sequence, member(payload, "undone_sequence", std::int64_t{0}));
  WARPMIND_TRY(event.undone_position, member(payload, "undone_position", std::int64_t{0}));
  WARPMIND_TRY(event.source, member(payload, "source", event.source));
  WARPMIND_TRY(event.capability, member(payload, "capability", 0));
  WARPMIND_TRY(event.outcome, optional_member<Outcome>(payload, "outcome"));
  return event;
}

Result<std::string> encode_source(const StoredSource& source) {
  json toggles = json::array();
  for (const auto& t : source.toggles) {
    toggles.push_back({{"sequence", t.sequence},
                       {"quarantined", t.quarantined},
                       {"actor", t.actor},
                       {"reason", t.reason}});
  }
  return seal_compact({{"name", source.name}, {"insights", source.insights}, {"toggles", toggles}},
                      "source");
}

Result<StoredSource> decode_source(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "source"));
  StoredSource source;
  WARPMIND_TRY(source.name, member(payload, "name", source.name));
  WARPMIND_TRY(source.insights, member(payload, "insights", source.insights));
  WARPMIND_TRY(const auto toggles, member(payload, "toggles", std::vector<json>()));
  for (const auto& item : toggles) {
    SourceToggle toggle;
    WARPMIND_TRY(toggle.sequence, member(item, "sequence", toggle.sequence));
    WARPMIND_TRY(toggle.quarantined, member(item, "quarantined", false));
    WARPMIND_TRY(toggle.actor, member(item, "actor", toggle.actor));
    WARPMIND_TRY(toggle.reason, member(item, "reason", toggle.reason));
    source.toggles.push_back(std::move(toggle));
  }
  return source;
}

Result<std::string> encode_technique(const Technique& technique) {
  return seal_compact(json(technique), "technique");
}
Result<Technique> decode_technique(std::string_view bytes) {
  return open_as<Technique>(bytes, "technique");
}

Result<std::string> encode_technique_version(const TechniqueVersion& version) {
  return seal_compact({{"technique", version.technique},
                       {"replaced_by", version.replaced_by},
                       {"reason", version.reason},
                       {"sequence", version.sequence}},
                      "technique version");
}

Result<TechniqueVersion> decode_technique_version(std::string_view bytes) {
  WARPMIND_TRY(const auto payload, open_json(bytes, "technique version"));
  TechniqueVersion version;
  WARPMIND_TRY(version.technique, member(payload, "technique", version.technique));
  WARPMIND_TRY(version.replaced_by, member(payload, "replaced_by", version.replaced_by));
  WARPMIND_TRY(version.reason, member(payload, "reason", version.reason));
  WARPMIND_TRY(version.sequence, member(payload, "sequence", version.sequence));
  return version;
}

Result<std::string> encode_fact(const Fact& fact) { return seal_compact(json(fact), "fact"); }
Result<Fact> decode_fact(std::string_view bytes) { return open_as<Fact>(bytes, "fact"); }

}  // namespace warpmind::knowledge_base
