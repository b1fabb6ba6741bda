#pragma once
/// \file
/// From statistics to advice: what to try first, how sure we are, and why.

#include "base/result.h"
#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/posterior.h"

#include <functional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// Counts at a key; default-constructed where nothing was observed.
using PosteriorLookup = std::function<Result<PosteriorCounts>(const PosteriorKey&)>;

/// What is known of technique order.
struct TransitionSource {
  /// Counts at a key; default-constructed where nothing was observed. Empty: order is not asked.
  std::function<Result<PosteriorCounts>(const EdgeKey&)> counts = {};
  std::string cluster = {};  ///< of the state at hand; empty = only its class is known
};

/// The techniques of `query`: those that gained, the largest predicted gain first, then those that
/// nobody measured in the order given, then those that did not gain.
///
/// With `transitions` the narrowest level of each estimate is the transition from
/// `query.previous_technique`, in the narrowest place where the technique was ever tried.
[[nodiscard]] Result<std::vector<TechniqueAdvice>> rank_techniques(
    const RecallQuery& query, const PosteriorLookup& lookup,
    const TransitionSource& transitions = {});

/// What is known of the moves of `query` with their very parameters, in the order asked; those that
/// nobody tried are left out. A move asked twice is answered once.
[[nodiscard]] Result<std::vector<MoveAdvice>> advise_moves(const RecallQuery& query,
                                                           const PosteriorLookup& lookup);

}  // namespace warpmind::knowledge_base
