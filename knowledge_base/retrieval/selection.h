#pragma once
/// \file
/// Which candidates are returned: different ones, not all from one source, within the budget.

#include "base/result.h"
#include "knowledge_base/retrieval/catalogue.h"
#include "knowledge_base/retrieval/query.h"
#include "knowledge_base/retrieval/ranking.h"

#include <functional>
#include <optional>
#include <vector>

namespace warpmind::knowledge_base {

/// 0 … 1: nearness of the words, and the same first technique.
[[nodiscard]] double similarity(const CatalogueEntry& a, const CatalogueEntry& b);

/// At most half of the answer (rounded up) may come from one source, but for the base's own
/// measurements and the pack that ships with it: one poisoned import must not fill an answer.
[[nodiscard]] std::size_t most_of_one_source(std::int64_t limit);
[[nodiscard]] bool is_capped(std::uint64_t source);

struct Pick {
  Candidate candidate;
  Insight insight;
};
struct Selection {
  std::vector<Pick> picks;   ///< best first
  bool over_budget = false;  ///< something was left out for its length alone
};

/// Reads a candidate and says whether it is to be had: nullopt when the exact filters or the floor
/// refuse it.
using Admit = std::function<Result<std::optional<Insight>>(const Candidate& candidate)>;

/// Maximal marginal relevance over `candidates` (by value, best first), each admitted when it would
/// be taken; what was taken is returned by value. Errors: those of `admit`.
[[nodiscard]] Result<Selection> select(const std::vector<Candidate>& candidates,
                                       const Catalogue& catalogue, const InsightQuery& query,
                                       const Admit& admit);

}  // namespace warpmind::knowledge_base
