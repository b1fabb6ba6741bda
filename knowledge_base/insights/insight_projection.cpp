#include "knowledge_base/insights/insight_projection.h"

#include "knowledge_base/insights/near_duplicates.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/retrieval/projection.h"

#include <array>

namespace warpmind::knowledge_base {
namespace {

bool is_about_source(InsightOp op) { return op == InsightOp::distrust || op == InsightOp::trust; }

bool may_move(const InsightEvent& event) {
  return event.op == InsightOp::amend || needs_whole_fold(event);
}

}  // namespace

Result<Distrusted> InsightProjection::distrusted() {
  if (!distrusted_) {
    WARPMIND_TRY(const auto sources, load_sources(reader_));
    distrusted_ = distrusted_among(sources);
  }
  return *distrusted_;
}

Result<std::vector<StoredInsight>> InsightProjection::take(const LoggedEvent& logged) {
  if (is_about_source(logged.event.op)) WARPMIND_CHECK(toggle_source(logged));
  WARPMIND_TRY(const auto ids, concerned(logged.event));
  std::vector<StoredInsight> projected;
  projected.reserve(ids.size());
  for (const auto& id : ids) {
    WARPMIND_TRY(auto stored, project(id, logged));
    projected.push_back(std::move(stored));
  }
  return projected;
}

Result<std::vector<InsightId>> InsightProjection::concerned(const InsightEvent& event) {
  std::vector<InsightId> ids;
  if (!is_about_source(event.op)) {
    ids.push_back(event.insight);
    if (!event.other.empty()) ids.push_back(event.other);
    return ids;
  }
  if (event.source == "episodes") {
    // Every measurement comes from an episode: every insight may be concerned.
    const std::string prefix = insight_prefix();
    WARPMIND_TRY(const auto all, reader_.entries(Family::insights, prefix, kAllEntries));
    for (const auto& [key, value] : all) ids.emplace_back(text_after(prefix, key));
    return ids;
  }
  const std::string prefix = source_insight_prefix(event.source);
  WARPMIND_TRY(const auto related, reader_.entries(Family::insights, prefix, kAllEntries));
  for (const auto& [key, value] : related) ids.emplace_back(text_after(prefix, key));
  return ids;
}

Result<StoredInsight> InsightProjection::next_of(const InsightId& id,
                                                 const std::optional<StoredInsight>& before,
                                                 const LoggedEvent& logged) {
  WARPMIND_TRY(const auto without, distrusted());
  if (!needs_whole_fold(logged.event)) {
    StoredInsight next = before.value_or(StoredInsight{});
    fold_next(next, logged, without);
    return next;
  }
  // The history key of this event is written already.
  WARPMIND_TRY(const auto history, load_history(reader_, id));
  WARPMIND_TRY(auto folded, fold(id, history, without));
  if (before) folded.insight.document = before->insight.document;
  return folded;
}

Result<StoredInsight> InsightProjection::project(const InsightId& id, const LoggedEvent& logged) {
  WARPMIND_TRY(const auto before, load_insight(reader_, id));
  if (!before && logged.event.op != InsightOp::add) {
    return fail(Errc::corrupt_data, "an event of change " + std::to_string(logged.sequence) +
                                        " is about " + id.str() + ", which was never added");
  }
  change_.put(Family::insights, insight_history_key(id, logged.sequence, logged.position), "");
  WARPMIND_TRY(auto after, next_of(id, before, logged));
  WARPMIND_CHECK(note_source(id, logged, !before));
  place(before, after, logged.event);
  WARPMIND_CHECK(count(before, after));
  std::optional<Insight> shown;
  if (before) shown = before->insight;
  WARPMIND_CHECK(project_document(change_, shown, after.insight));
  WARPMIND_TRY(auto bytes, encode_insight(after));
  if (before) {
    change_.put(Family::insights, insight_key(id), std::move(bytes));
  } else {
    change_.add(Family::insights, insight_key(id), std::move(bytes));
  }
  return after;
}

Result<void> InsightProjection::note_source(const InsightId& id, const LoggedEvent& logged,
                                            bool is_new) {
  const InsightEvent& event = logged.event;
  if (is_new) {
    const std::string& name = event.content->provenance.source;
    auto found = sources_.find(name);
    if (found == sources_.end()) {
      WARPMIND_TRY(auto source, load_source(reader_, name));
      found = sources_.emplace(name, std::move(source)).first;
    }
    ++found->second.insights;
    WARPMIND_TRY(auto bytes, encode_source(found->second));
    change_.put(Family::insights, source_key(name), std::move(bytes));
  }
  if (is_about_source(event.op) || event.source == kGate || event.source == kLift) return {};
  const std::string key = source_insight_key(event.source, id);
  WARPMIND_TRY(auto steps, reader_.get(Family::insights, key));
  std::string value = steps.value_or("");
  if (event.op == InsightOp::evidence) value += std::to_string(event.evidence->step) + ",";
  if (!steps || *steps != value) change_.put(Family::insights, key, std::move(value));
  if (event.op == InsightOp::evidence && !event.evidence->device.empty()) {
    change_.put(Family::insights, measured_device_key(event.evidence->device),
                std::to_string(event.capability));
  }
  return {};
}

Result<void> InsightProjection::toggle_source(const LoggedEvent& logged) {
  const InsightEvent& event = logged.event;
  WARPMIND_TRY(auto source, load_source(reader_, event.source));
  source.toggles.push_back(
      {logged.sequence, event.op == InsightOp::distrust, event.actor.name, event.actor.reason});
  WARPMIND_TRY(auto bytes, encode_source(source));
  change_.put(Family::insights, source_key(event.source), std::move(bytes));
  sources_[event.source] = std::move(source);
  distrusted_.reset();
  return {};
}

void InsightProjection::place(const std::optional<StoredInsight>& before,
                              const StoredInsight& after, const InsightEvent& event) {
  if (before && !may_move(event)) return;
  auto entries = near_entries(after.insight);
  if (before) {
    for (const auto& [key, value] : near_entries(before->insight)) {
      const auto found = entries.find(key);
      if (found == entries.end()) {
        change_.erase(Family::insights, key);
      } else if (found->second == value) {
        entries.erase(found);
      }
    }
  }
  for (auto& [key, value] : entries) change_.put(Family::insights, key, std::move(value));
}

Result<void> InsightProjection::count(const std::string& name, std::int64_t by) {
  auto found = counts_.find(name);
  if (found == counts_.end()) {
    WARPMIND_TRY(const auto bytes, reader_.get(Family::insights, insight_count_key(name)));
    std::int64_t value = 0;
    if (bytes) {
      WARPMIND_TRY(value, decode_number(*bytes));
    }
    found = counts_.emplace(name, value).first;
  }
  found->second += by;
  WARPMIND_TRY(auto bytes, encode_number(found->second));
  change_.put(Family::insights, insight_count_key(name), std::move(bytes));
  return {};
}

Result<void> InsightProjection::count(const std::optional<StoredInsight>& before,
                                      const StoredInsight& after) {
  const auto labels = [](const Insight& insight) {
    return std::array{"state." + std::string(name_of(insight.state)),
                      "kind." + std::string(name_of(insight.kind)),
                      "trust." + std::string(name_of(insight.trust))};
  };
  const auto now = labels(after.insight);
  for (std::size_t i = 0; i < now.size(); ++i) {
    if (before) {
      const auto was = labels(before->insight);
      if (was.at(i) == now.at(i)) continue;
      WARPMIND_CHECK(count(was.at(i), -1));
    }
    WARPMIND_CHECK(count(now.at(i), 1));
  }
  return {};
}

void clear_insight_projections(ChangeSet& change) {
  for (const auto& prefix :
       {insight_prefix(), insight_history_prefix(), source_prefix(), source_insight_prefix(),
        near_insight_prefix(), insight_count_prefix(), measured_device_prefix()}) {
    change.erase_all(Family::insights, prefix);
  }
  change.state().records[std::string(name_of(Family::insights))] = 0;
}

}  // namespace warpmind::knowledge_base
