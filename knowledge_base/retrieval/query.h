#pragma once
/// \file
/// What retrieval is asked, and what it answers.

#include "base/model/advice.h"
#include "base/model/bottleneck.h"
#include "base/model/dtype.h"
#include "base/model/insight.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// A situation. What is empty or zero does not filter.
struct InsightQuery {
  std::string text;                       ///< words, identifiers, names of techniques
  std::map<std::string, double> profile;  ///< features.h, of the kernel at hand
  std::map<std::string, double> code;     ///< features.h, of the kernel at hand
  std::string operator_family;
  std::vector<Dtype> dtypes;
  std::vector<BottleneckClass> bottlenecks;  ///< primary first
  int capability = 0;                        ///< 90 = compute capability 9.0
  std::string device;                        ///< "NVIDIA H200"
  std::vector<std::string> contracts;        ///< what the task allows: "tf32", "reassociation"
  bool contracts_known = false;              ///< false: claims that need a contract stay
  std::vector<std::string> spaces;           ///< namespaces that may be read; empty = all
  std::vector<std::string> techniques;       ///< only insights about one of these; empty = all
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

struct RetrievalAnswer {
  std::vector<RetrievedInsight> insights;  ///< best first; withheld ones are marked
  std::string note;                        ///< when empty-handed: "nothing applies: …"
  std::int64_t documents = 0;              ///< in the index
  std::int64_t candidates = 0;             ///< that passed the hard filters
  bool operator==(const RetrievalAnswer&) const = default;
};

/// What an insight was worth: outcome of steps that saw it against steps from which it was withheld
/// at random, weighted by inverse propensity.
struct LiftEstimate {
  std::int64_t shown = 0;
  std::int64_t withheld = 0;
  double lift = 0;  ///< difference of mean ln(gain)
  double low = 0;   ///< 95 % interval
  double high = 0;
  bool known = false;  ///< both arms have enough steps for an interval
  bool operator==(const LiftEstimate&) const = default;
};

}  // namespace warpmind::knowledge_base
