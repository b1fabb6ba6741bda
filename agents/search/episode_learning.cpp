#include "agents/search/episode_learning.h"

#include <cmath>

namespace warpmind::agents {

void EpisodeLearning::learn(const Move& move, CandidateEnd end, double log_gain) {
  Seen& seen = seen_[move.technique][move.parameters];
  ++seen.tried;
  if (end != CandidateEnd::measured) return;
  ++seen.right;
  seen.sum += log_gain;
}

EpisodeLearning::Seen EpisodeLearning::seen_of(const Move& move) const {
  Seen all;
  const auto technique = seen_.find(move.technique);
  if (technique == seen_.end()) return all;
  for (const auto& [parameters, seen] : technique->second) {
    const double weight = parameters == move.parameters ? 1 : options_.other_parameters;
    all.tried += weight * seen.tried;
    all.right += weight * seen.right;
    all.sum += weight * seen.sum;
  }
  return all;
}

ScoredMove EpisodeLearning::adjusted(ScoredMove expectation) const {
  const Seen seen = seen_of(expectation.move);
  const double prior = options_.prior_weight;
  expectation.log_gain = (prior * expectation.log_gain + seen.sum) / (prior + seen.right);
  expectation.deviation *= std::sqrt(prior / (prior + seen.right));
  expectation.feasibility = (prior * expectation.feasibility + seen.right) / (prior + seen.tried);
  return expectation;
}

}  // namespace warpmind::agents
