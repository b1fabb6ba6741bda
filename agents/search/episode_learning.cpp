#include "agents/search/episode_learning.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents {
namespace {

constexpr double kLeastGuess = 0.01;  ///< as in move_scoring

}  // namespace

void EpisodeLearning::learn(const Move& move, CandidateEnd end, double log_gain) {
  Seen& seen = seen_[move.technique][move.parameters];
  ++seen.tried;
  if (end != CandidateEnd::measured) return;
  ++seen.right;
  if (move.prior_gain <= 0) return;
  ++seen.compared;
  seen.sum += log_gain - std::log(move.prior_gain);
}

EpisodeLearning::Seen EpisodeLearning::seen_of(const Move& move) const {
  Seen all;
  const auto technique = seen_.find(move.technique);
  if (technique == seen_.end()) return all;
  for (const auto& [parameters, seen] : technique->second) {
    const double weight = parameters == move.parameters ? 1 : options_.other_parameters;
    all.tried += weight * seen.tried;
    all.right += weight * seen.right;
    all.compared += weight * seen.compared;
    all.sum += weight * seen.sum;
  }
  return all;
}

ScoredMove EpisodeLearning::adjusted(ScoredMove expectation) const {
  const Seen seen = seen_of(expectation.move);
  const double prior = options_.prior_weight;
  const double guess = std::log(std::max(expectation.move.prior_gain, kLeastGuess));
  const double share = prior / (prior + seen.compared);
  const double correction = expectation.log_gain - guess;
  expectation.log_gain = guess + share * correction + seen.sum / (prior + seen.compared);
  expectation.order_shift *= share;
  expectation.deviation *= std::sqrt(share);
  expectation.feasibility = (prior * expectation.feasibility + seen.right) / (prior + seen.tried);
  return expectation;
}

}  // namespace warpmind::agents
