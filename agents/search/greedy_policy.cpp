#include "agents/search/greedy_policy.h"

#include "agents/insight_advice.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents {
namespace {

// A miss says little about another variant of the same technique: 0.9 lets about three variants of
// a 1.3x technique run before an untested 1.0x technique gets its turn.
constexpr double kMissDiscount = 0.9;

// The very move that missed rarely helps after another one was accepted: last in line, not banned.
constexpr double kRepeatDiscount = 0.6;

// The base's narrowest evidence outweighs a proposer's guess after this many measurements.
constexpr double kPriorWeight = 2.0;

/// How far a measurement of this very move replaces what is known of its technique.
constexpr double kExactShare = 0.9;

}  // namespace

double GreedyPolicy::score(const Move& move, const Advice& advice) const {
  double gain = std::log(std::max(move.prior_gain, 0.01));
  double feasibility = 1;
  for (const auto& known : advice.techniques) {
    if (known.technique != move.technique) continue;
    const auto weight = static_cast<double>(known.observations);
    gain = (kPriorWeight * gain + weight * std::log(std::max(known.predicted_gain, 0.01))) /
           (kPriorWeight + weight);
    feasibility = known.feasibility;
  }
  const InsightPull pull = pull_of(move, advice.insights, previous_);
  gain = (kPriorWeight * gain + pull.weight * pull.log_gain) / (kPriorWeight + pull.weight);
  if (pull.exact_log_gain) gain += kExactShare * (*pull.exact_log_gain - gain);
  const auto missed = misses_.find(move.technique);
  const double discount = missed == misses_.end() ? 1 : std::pow(kMissDiscount, missed->second);
  const auto again = missed_moves_.find({move.technique, move.parameters});
  const double repeated =
      again == missed_moves_.end() ? 1 : std::pow(kRepeatDiscount, again->second);
  return std::exp(gain) * feasibility * discount * repeated;
}

std::optional<Move> GreedyPolicy::next(const std::vector<Move>& moves, const Advice& advice) const {
  const Move* best = nullptr;
  double best_score = 0;
  for (const auto& move : moves) {
    const auto key = std::pair(move.technique, move.parameters);
    if (std::find(tried_.begin(), tried_.end(), key) != tried_.end()) continue;
    const double current = score(move, advice);
    if (best == nullptr || current > best_score) {
      best = &move;
      best_score = current;
    }
  }
  if (best == nullptr) return std::nullopt;
  return *best;
}

void GreedyPolicy::tried(const Move& move) { tried_.emplace_back(move.technique, move.parameters); }

void GreedyPolicy::learned(const Move& move, bool improved) {
  if (improved) {
    previous_ = move.technique;
    return;
  }
  ++misses_[move.technique];
  ++missed_moves_[{move.technique, move.parameters}];
}

void GreedyPolicy::incumbent_changed() { tried_.clear(); }

}  // namespace warpmind::agents
