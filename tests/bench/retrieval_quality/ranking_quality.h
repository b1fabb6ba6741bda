#pragma once
/// \file
/// How good a ranked list is, held against grades 0 … 3.

#include <map>
#include <string>
#include <vector>

namespace warpmind::bench {

inline constexpr std::size_t kDepth = 10;
inline constexpr int kRelevant = 2;  ///< from this grade on, for recall and first rank

struct Quality {
  double ndcg = 0;             ///< gains 2^grade - 1, over the first kDepth
  double recall = 0;           ///< share of what is relevant (at most kDepth) in the first kDepth
  double reciprocal_rank = 0;  ///< of the first relevant one, anywhere
};

[[nodiscard]] Quality quality_of(const std::vector<std::string>& ranked,
                                 const std::map<std::string, int>& grades);

/// Mean of what was added.
class MeanQuality {
 public:
  void add(const Quality& one);
  [[nodiscard]] Quality mean() const;
  [[nodiscard]] std::size_t count() const { return count_; }

 private:
  Quality sum_;
  std::size_t count_ = 0;
};

}  // namespace warpmind::bench
