#include "agents/search/move_scoring.h"

#include "base/prediction_interval.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents {
namespace {

/// Deviation of a guess without any evidence, in ln(gain).
constexpr double kGuessDeviation = 0.3;
/// No evidence of other kernels makes a gain surer than this.
constexpr double kLeastDeviation = 0.05;
/// Of a technique's standing, what counts for parameters that nobody tried.
constexpr double kSharedStanding = 0.5;

double safe_log(double gain) { return std::log(std::max(gain, 0.01)); }

const TechniqueAdvice* technique_of(const Move& move, const Advice& advice) {
  for (const auto& known : advice.techniques) {
    if (known.technique == move.technique) return &known;
  }
  return nullptr;
}

const MoveAdvice* known_of(const Move& move, const Advice& advice) {
  for (const auto& known : advice.moves) {
    if (known.technique == move.technique && known.parameters == move.parameters) return &known;
  }
  return nullptr;
}

void correct(ScoredMove& move, const ExpectationAdvice& known, double standing) {
  const double correction = safe_log(known.factor);
  move.log_gain += correction;
  move.order_shift = standing - correction;
  if (known.comparisons <= 0) return;
  const double width = safe_log(known.high) - safe_log(known.low);
  move.deviation = std::max(width / (2 * kEightyPercent), kLeastDeviation);
}

}  // namespace

ScoredMove scored(const Move& move, const Advice& advice) {
  ScoredMove result;
  result.move = move;
  result.log_gain = safe_log(move.prior_gain);
  result.deviation = kGuessDeviation;
  if (const MoveAdvice* exact = known_of(move, advice)) {
    result.feasibility = exact->feasibility;
    correct(result, exact->expectation, exact->expectation.standing);
  } else if (const TechniqueAdvice* known = technique_of(move, advice)) {
    result.feasibility = known->feasibility;
    const double share = move.parameters.empty() ? 1 : kSharedStanding;
    correct(result, known->expectation, share * known->expectation.standing);
  }
  return result;
}

Prediction prediction_of(const ScoredMove& move) {
  const double half = move_reach(move.log_gain, move.deviation);
  return {std::exp(move.log_gain), std::exp(move.log_gain - half), std::exp(move.log_gain + half)};
}

}  // namespace warpmind::agents
