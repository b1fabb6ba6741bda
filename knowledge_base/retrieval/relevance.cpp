#include "knowledge_base/retrieval/relevance.h"

#include "base/sequence.h"
#include "knowledge_base/retrieval/searched_text.h"
#include "knowledge_base/retrieval/text_analysis.h"

#include <algorithm>

namespace warpmind::knowledge_base {
namespace {

// Each of them alone says that there is something in it. docs/retrieval.md has what they let
// through and hold back.
constexpr double kShareOfWords = 0.25;
constexpr double kWeakShare = 0.1;
constexpr float kWeakTextCosine = 0.2F;  ///< beside a weak share of words
constexpr float kTextCosine = 0.4F;
constexpr float kCodeCosine = 0.6F;
constexpr float kProfileCosine = 0.6F;

float score(const Candidate& candidate, Ranking ranking) {
  return candidate.scores.at(static_cast<std::size_t>(ranking));
}

}  // namespace

double RelevanceFloor::share_of_words(const Insight& insight) const {
  if (words_.empty()) return 0;
  auto said = analyse(searched_text(insight));
  std::sort(said.begin(), said.end());
  const auto common = std::count_if(words_.begin(), words_.end(), [&](const std::string& word) {
    return std::binary_search(said.begin(), said.end(), word);
  });
  return static_cast<double>(common) / static_cast<double>(words_.size());
}

bool RelevanceFloor::shares_scope(const Insight& insight) const {
  const auto& scope = insight.scope;
  const bool about = intersects(scope.bottlenecks, query_.bottlenecks) ||
                     intersects(insight.action.techniques, query_.techniques);
  return about ||
         intersects(scope.operator_families, std::vector<std::string>{query_.operator_family});
}

bool RelevanceFloor::reaches(const Candidate& candidate, const Insight& insight) const {
  if (score(candidate, Ranking::profile) >= kProfileCosine) return true;
  if (score(candidate, Ranking::code) >= kCodeCosine) return true;
  // Learnt at the same bottleneck of the same kind of operator: near, whatever the words are.
  const auto& scope = insight.scope;
  if (intersects(scope.bottlenecks, query_.bottlenecks) &&
      intersects(scope.operator_families, std::vector<std::string>{query_.operator_family})) {
    return true;
  }
  // Nothing was said: the situation is the question.
  if (words_.empty()) return query_.text.empty() && shares_scope(insight);
  const float cosine = score(candidate, Ranking::text);
  if (cosine >= kTextCosine) return true;
  // What the ranking by words found is often enough: no text has to be taken apart.
  const auto words = static_cast<double>(words_.size());
  if (candidate.least_words / words >= kShareOfWords) return true;
  const double share = share_of_words(insight);
  return share >= kShareOfWords || (share >= kWeakShare && cosine >= kWeakTextCosine);
}

}  // namespace warpmind::knowledge_base
