#pragma once
/// \file
/// The absolute floor: whether a candidate has anything to do with what was asked. Ranks cannot
/// say, for something is always first.

#include "knowledge_base/retrieval/query.h"
#include "knowledge_base/retrieval/ranking.h"

#include <set>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// The floor of one query, made once. The query must outlive it.
class RelevanceFloor {
 public:
  /// `tokens` are those of query.text.
  RelevanceFloor(const InsightQuery& query, const std::vector<std::string>& tokens)
      : query_(query), words_(tokens.begin(), tokens.end()) {}
  [[nodiscard]] bool reaches(const Candidate& candidate, const Insight& insight) const;

 private:
  [[nodiscard]] double share_of_words(const Insight& insight) const;
  [[nodiscard]] bool shares_scope(const Insight& insight) const;

  const InsightQuery& query_;
  std::set<std::string> words_;
};

}  // namespace warpmind::knowledge_base
