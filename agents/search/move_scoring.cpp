#include "agents/search/move_scoring.h"

#include "agents/insight_advice.h"

#include <algorithm>
#include <cmath>

namespace warpmind::agents {
namespace {

/// Measurements that a proposer's guess counts as.
constexpr double kGuessWeight = 2.0;
/// How far a measurement of this very move replaces what is known of its technique.
constexpr double kExactShare = 0.9;
/// Deviation of a guess without any evidence, in ln(gain).
constexpr double kGuessDeviation = 0.3;
/// No evidence of other kernels makes a gain surer than this.
constexpr double kLeastDeviation = 0.05;
/// Half the width of an 80 % interval in deviations.
constexpr double kEighty = 1.2816;

}  // namespace

ScoredMove scored(const Move& move, const Advice& advice, const std::string& previous) {
  ScoredMove result;
  result.move = move;
  double gain = std::log(std::max(move.prior_gain, 0.01));
  double weight = kGuessWeight;
  for (const auto& known : advice.techniques) {
    if (known.technique != move.technique) continue;
    const auto seen = static_cast<double>(known.observations);
    gain =
        (weight * gain + seen * std::log(std::max(known.predicted_gain, 0.01))) / (weight + seen);
    weight += seen;
    result.feasibility = known.feasibility;
  }
  const InsightPull pull = pull_of(move, advice.insights, previous);
  gain = (kGuessWeight * gain + pull.weight * pull.log_gain) / (kGuessWeight + pull.weight);
  weight += pull.weight;
  if (pull.exact_log_gain) {
    gain += kExactShare * (*pull.exact_log_gain - gain);
    weight += kGuessWeight;
  }
  result.log_gain = gain;
  result.deviation = std::max(kGuessDeviation * std::sqrt(kGuessWeight / weight), kLeastDeviation);
  return result;
}

Prediction prediction_of(const ScoredMove& move) {
  const double half = kEighty * move.deviation;
  return {std::exp(move.log_gain), std::exp(move.log_gain - half), std::exp(move.log_gain + half)};
}

}  // namespace warpmind::agents
