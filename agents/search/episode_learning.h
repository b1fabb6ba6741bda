#pragma once
/// \file
/// What this episode's own steps say about techniques: the expectations of memory and proposer are
/// moved towards what was just seen, for edits of every kernel of the tree.

#include "agents/search/search_policy.h"

#include <map>
#include <string>

namespace warpmind::agents {

/// Expectations are held like so many measurements; a measurement of the same technique with other
/// parameters counts as less than one.
struct EpisodeLearningOptions {
  double prior_weight = 1.5;
  double other_parameters = 0.4;
};

class EpisodeLearning {
 public:
  explicit EpisodeLearning(EpisodeLearningOptions options = {}) : options_(options) {}

  /// A candidate made by `move` was judged; `log_gain` over the kernel that was edited, of right
  /// candidates only.
  void learn(const Move& move, CandidateEnd end, double log_gain);
  /// Posterior expectation: mean and deviation shrink with what was seen, feasibility is a share.
  [[nodiscard]] ScoredMove adjusted(ScoredMove expectation) const;

 private:
  struct Seen {
    double tried = 0;
    double right = 0;
    double sum = 0;  ///< ln(gain) of the right ones
  };
  [[nodiscard]] Seen seen_of(const Move& move) const;

  EpisodeLearningOptions options_;
  std::map<std::string, std::map<std::string, Seen>> seen_;  ///< technique, parameters
};

}  // namespace warpmind::agents
