#pragma once
/// \file
/// From statistics to advice: what to try first, how sure we are, and why.

#include "base/result.h"
#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/posterior.h"

#include <functional>
#include <vector>

namespace warpmind::knowledge_base {

/// Counts at a key; default-constructed where nothing was observed.
using PosteriorLookup = std::function<Result<PosteriorCounts>(const PosteriorKey&)>;

/// The techniques of `query`, largest predicted gain first; equal ones keep the order given.
[[nodiscard]] Result<std::vector<TechniqueAdvice>> rank_techniques(const RecallQuery& query,
                                                                   const PosteriorLookup& lookup);

}  // namespace warpmind::knowledge_base
