#pragma once
/// \file
/// Writes events of one change and brings the insights they concern up to date.

#include "base/model/episode.h"
#include "base/result.h"
#include "knowledge_base/change_set.h"
#include "knowledge_base/insights/insight_event.h"
#include "knowledge_base/insights/insight_projection.h"
#include "knowledge_base/insights/scope_split.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// One a change. Events get their positions in the order given.
class InsightWriter {
 public:
  /// `change` must outlive it.
  explicit InsightWriter(ChangeSet& change) : change_(change), projection_(change) {}

  /// Stores the event, folds it, lets the gate judge the result (whose own transitions are events
  /// too), writes the insight and its search document. Returns the insight as it is now; an empty
  /// one for distrust and trust, which are about no single one.
  /// Errors: invalid_argument for what the rules refuse (validation.h), and then nothing of the
  /// event is in the change; not_found for an unknown insight; conflict for an `add` of one that is
  /// there, for evidence that it has, and for what a pin forbids.
  [[nodiscard]] Result<Insight> write_event(InsightEvent event);
  /// An `add` whose content may bring evidence and attestations: adds it, or takes them onto the
  /// same claim or a near one that is there. What is there already is left out silently. Errors: as
  /// write_event(); all of it is checked before any is written.
  [[nodiscard]] Result<Insight> add_or_confirm(InsightEvent event);
  /// Evidence and attestations of `content` onto insight `id`, or onto what took its place.
  [[nodiscard]] Result<Insight> confirm(const InsightId& id, const InsightEvent& event);

  /// Takes insights off offer that were measured to do harm where they were shown
  /// (project_exposures). Returns a line each; pinned ones and those off offer are left.
  [[nodiscard]] Result<std::vector<std::string>> quarantine_harmful(
      const std::vector<InsightId>& ids, UnixMillis at);

  /// Ids of all insights touched so far, each once.
  [[nodiscard]] const std::vector<InsightId>& touched() const { return touched_; }
  /// Records as they are inside the change.
  [[nodiscard]] const RecordReader& reader() const { return projection_.reader(); }

 private:
  Result<void> check(InsightEvent& event);
  Result<void> check_add(InsightEvent& event);
  Result<void> check_change(const StoredInsight& stored, InsightEvent& event);
  Result<void> check_undo(const StoredInsight& stored, InsightEvent& event);
  Result<void> check_amended(const Insight& insight, InsightEvent& event);
  Result<void> check_toggle(const InsightEvent& event);
  Result<std::vector<StoredInsight>> store(InsightEvent event);
  Result<StoredInsight> conclude(StoredInsight stored, UnixMillis at);
  Result<StoredInsight> split(const StoredInsight& contested, const ScopeSplit& plan,
                              UnixMillis at);
  Result<void> write_side(const StoredInsight& contested, const SplitSide& side, const Actor& gate,
                          UnixMillis at);
  Result<bool> is_cited(const InsightId& id, const EvidenceRef& evidence);
  Result<std::vector<InsightId>> heirs(const InsightId& id);

  ChangeSet& change_;
  InsightProjection projection_;
  std::size_t position_ = 0;
  std::size_t depth_ = 0;  ///< of splits
  std::vector<InsightId> touched_;
};

/// What an episode teaches: its events through the writer. Deterministic. Nothing of a held-out
/// task. Returns one line an insight that was made, confirmed or contradicted, for the receipt.
/// The rules are in docs/knowledge.md.
[[nodiscard]] Result<std::vector<std::string>> learn_insights(InsightWriter& writer,
                                                              const Episode& episode);

/// A rebuild: folds the stored events of change `sequence` again, writing projections only.
[[nodiscard]] Result<void> replay_insight_events(ChangeSet& change, std::int64_t sequence);

}  // namespace warpmind::knowledge_base
