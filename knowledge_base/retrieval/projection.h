#pragma once
/// \file
/// What an insight looks like in the search index. Written in the batch of the change that makes
/// the insight what it is; a rebuild calls the same functions in the order of the log.

#include "base/model/episode.h"
#include "base/model/insight.h"
#include "base/result.h"
#include "knowledge_base/change_set.h"

#include <optional>

namespace warpmind::knowledge_base {

/// Brings terms, catalogue and vectors in line with `after` (as it will be stored). When what is
/// searched in it changed, it gets the next document number (`after.document`) and the entry of
/// `before` dies; else its catalogue entry is rewritten. Calls change.touch_document().
[[nodiscard]] Result<void> project_document(ChangeSet& change, const std::optional<Insight>& before,
                                            Insight& after);

/// Adds the exposures of the steps of `episode` to the lift counts of their insights. Returns the
/// insights whose lift is now below zero with its whole interval: the gate quarantines them.
[[nodiscard]] Result<std::vector<InsightId>> project_exposures(ChangeSet& change,
                                                               const Episode& episode);

}  // namespace warpmind::knowledge_base
