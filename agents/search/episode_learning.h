#pragma once
/// \file
/// What this episode's own steps say about techniques: the proposer's guesses are corrected by what
/// was just measured over such guesses, for edits of every kernel of the tree. The gain itself
/// belongs to the kernel that was edited.

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
  /// candidates only. A move without a guess (prior_gain 0) teaches feasibility alone.
  void learn(const Move& move, CandidateEnd end, double log_gain);
  /// Posterior expectation: mean and deviation shrink with what was seen, feasibility is a share.
  [[nodiscard]] ScoredMove adjusted(ScoredMove expectation) const;

 private:
  struct Seen {
    double tried = 0;
    double right = 0;
    double compared = 0;  ///< right ones of whose move there was a guess
    double sum = 0;       ///< ln(gain / guess) of the right ones
  };
  [[nodiscard]] Seen seen_of(const Move& move) const;

  EpisodeLearningOptions options_;
  std::map<std::string, std::map<std::string, Seen>> seen_;  ///< technique, parameters
};

}  // namespace warpmind::agents
