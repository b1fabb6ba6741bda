#pragma once
/// \file
/// From stored events to everything that follows from them: the insight as it stands, its history,
/// the places where it is found, counters, sources, its search document. A rebuild goes through the
/// same functions with the same events and gets the same bytes.

#include "base/result.h"
#include "knowledge_base/change_set.h"
#include "knowledge_base/insights/insight_codec.h"
#include "knowledge_base/insights/insight_fold.h"
#include "knowledge_base/insights/record_reader.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// For one change. Writes projections only; the event itself is stored by its writer.
class InsightProjection {
 public:
  /// `change` must outlive it.
  explicit InsightProjection(ChangeSet& change) : change_(change), reader_(reading(change)) {}

  /// Takes one event in. Returns the insights that it concerns, as they are now; the first is
  /// `event.insight`.
  [[nodiscard]] Result<std::vector<StoredInsight>> take(const LoggedEvent& logged);

  [[nodiscard]] const RecordReader& reader() const { return reader_; }
  /// As of now, inside the change.
  [[nodiscard]] Result<Distrusted> distrusted();

 private:
  Result<std::vector<InsightId>> concerned(const InsightEvent& event);
  Result<StoredInsight> project(const InsightId& id, const LoggedEvent& logged);
  Result<StoredInsight> next_of(const InsightId& id, const std::optional<StoredInsight>& before,
                                const LoggedEvent& logged);
  Result<void> note_source(const InsightId& id, const LoggedEvent& logged, bool is_new);
  Result<void> toggle_source(const LoggedEvent& logged);
  Result<void> count(const std::optional<StoredInsight>& before, const StoredInsight& after);
  Result<void> count(const std::string& name, std::int64_t by);
  void place(const std::optional<StoredInsight>& before, const StoredInsight& after,
             const InsightEvent& event);

  ChangeSet& change_;
  RecordReader reader_;
  std::optional<Distrusted> distrusted_;
  std::map<std::string, std::int64_t> counts_;
  std::map<std::string, StoredSource> sources_;
};

/// Removes every projection of insights, before a rebuild replays the events.
void clear_insight_projections(ChangeSet& change);

}  // namespace warpmind::knowledge_base
