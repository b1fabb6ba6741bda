#pragma once
/// \file
/// What retrieval is asked. What it answers is in base/model/knowledge.h.

#include "base/model/knowledge.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// A situation.
struct InsightQuery : SearchTerms {
  std::map<std::string, double> code;  ///< features.h, of the kernel at hand; as is `profile`
  std::vector<Dtype> dtypes;
  std::vector<BottleneckClass> bottlenecks;  ///< primary first
  Trust least_trust = Trust::t0;
  bool offered_only = true;          ///< false: also quarantined, deprecated and retracted ones
  std::int64_t limit = 5;            ///< 1 … kMostInsights
  std::int64_t token_budget = 1200;  ///< of all claims together, about 4 characters a token
  std::uint64_t seed = 0;  ///< of the Thompson sample; 0 ranks by the mean (a person looks)
  double withhold = 0;     ///< probability that one insight is withheld, 0 … 0.5
};
inline constexpr std::int64_t kMostInsights = 200;

/// What candidates are ranked by before the ranks are fused.
enum class Ranking : std::uint8_t {
  words,    ///< BM25 over words and identifiers
  text,     ///< nearness of hashed words and character n-grams
  code,     ///< nearness of code structure
  profile,  ///< nearness of profiles
};
inline constexpr std::size_t kRankings = 4;
/// What each counts in the fusion, by Ranking; 0 leaves it out.
using RankingWeights = std::array<double, kRankings>;
/// docs/retrieval.md says how they were found.
inline constexpr RankingWeights kRankingWeights{0.6, 0.2, 0.5, 0.5};

}  // namespace warpmind::knowledge_base
