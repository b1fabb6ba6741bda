#pragma once
/// \file
/// Writes events of one change and brings the insights they concern up to date.

#include "base/model/episode.h"
#include "base/result.h"
#include "knowledge_base/change_set.h"
#include "knowledge_base/insights/insight_event.h"

#include <cstddef>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// One a change. Events get their positions in the order given.
class InsightWriter {
 public:
  explicit InsightWriter(ChangeSet& change) : change_(change) {}

  /// Stores the event, folds it, lets the gate judge the result (whose own transitions are events
  /// too), writes the insight and its search document. Returns the insight as it is now.
  /// Errors: invalid_argument for what the rules refuse (validation.h); not_found for an unknown
  /// insight; conflict for an `add` of one that is there.
  [[nodiscard]] Result<Insight> apply(InsightEvent event);
  /// add, or evidence and attestations onto what is there already.
  [[nodiscard]] Result<Insight> add_or_confirm(InsightEvent event);

  /// Ids of all insights touched so far, each once.
  [[nodiscard]] const std::vector<InsightId>& touched() const { return touched_; }

 private:
  ChangeSet& change_;
  std::size_t position_ = 0;
  std::vector<InsightId> touched_;
};

/// What an episode teaches: its events through the writer. Deterministic. Nothing of a held-out
/// task. Returns one line an insight that was made, confirmed or contradicted, for the receipt.
[[nodiscard]] Result<std::vector<std::string>> learn_insights(InsightWriter& writer,
                                                              ChangeSet& change,
                                                              const Episode& episode);

/// A rebuild: folds the stored events of change `sequence` again, writing projections only.
[[nodiscard]] Result<void> replay_insight_events(ChangeSet& change, std::int64_t sequence);

}  // namespace warpmind::knowledge_base
