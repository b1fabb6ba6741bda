#pragma once
/// \file
/// Takes what a critic asks of the base into the change of its episode. Claims were held against
/// the measurements before (agents/gradient); here every delta passes the same rules as what people
/// say, and what evidence it brings is read from the steps.

#include "base/model/episode.h"
#include "base/result.h"
#include "knowledge_base/change_set.h"
#include "knowledge_base/insights/insight_writer.h"

#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// Sentences that a technique card may have grown by critics, in each field.
inline constexpr std::size_t kMostCardLines = 6;

/// Applies the deltas that code has not refused, in order. Returns a line each for the receipt, and
/// "refused: …" with the reason for those that the rules refuse: a refusal costs the delta, never
/// the episode. Nothing of a held-out task. What a critic may do:
///   add          a claim of kind positive, negative or precondition, with its steps as evidence;
///   amend        the wording of an insight that episodes or critics wrote; a sentence more on a
///   card; split_scope  narrow the bottlenecks of such an insight, never widen them; merge one
///   insight into another about the same techniques; deprecate    an insight that the claim
///   contradicts.
/// Pinned insights and words of people stay as they are.
[[nodiscard]] Result<std::vector<std::string>> apply_critique(ChangeSet& change,
                                                              InsightWriter& writer,
                                                              const Episode& episode);

}  // namespace warpmind::knowledge_base
