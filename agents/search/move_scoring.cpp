#include "agents/search/move_scoring.h"

#include "agents/insight_advice.h"
#include "base/prediction_interval.h"

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

/// An expectation and how many measurements it counts as.
struct Belief {
  double log_gain = 0;
  double weight = 0;

  void add(double more_gain, double more_weight) {
    if (more_weight <= 0) return;
    log_gain = (weight * log_gain + more_weight * more_gain) / (weight + more_weight);
    weight += more_weight;
  }
};

double safe_log(double gain) { return std::log(std::max(gain, 0.01)); }

/// Weight of what predicts the next try with this 80 % interval: as a guess counts two, by the
/// variance, yet never more than there are measurements. So the mean over a sweep of parameters
/// that gain and lose says little about one point of it, and parameters that gain here and lose
/// there say little about the next kernel.
double weight_of(std::int64_t observations, double low, double high) {
  const double deviation = (safe_log(high) - safe_log(low)) / (2 * kEightyPercent);
  const double against_guess = std::max(deviation, kLeastDeviation) / kGuessDeviation;
  return std::min(static_cast<double>(observations),
                  kGuessWeight / (against_guess * against_guess));
}

const MoveAdvice* known_of(const Move& move, const Advice& advice) {
  for (const auto& known : advice.moves) {
    if (known.technique == move.technique && known.parameters == move.parameters) return &known;
  }
  return nullptr;
}

}  // namespace

ScoredMove scored(const Move& move, const Advice& advice, const std::string& previous) {
  ScoredMove result;
  result.move = move;
  Belief belief{safe_log(move.prior_gain), kGuessWeight};
  const MoveAdvice* exact = known_of(move, advice);
  const bool compared = exact != nullptr && exact->observations > 0;
  for (const auto& known : advice.techniques) {
    if (known.technique != move.technique) continue;
    result.feasibility = known.feasibility;
    if (compared) continue;  // those comparisons are among the technique's
    const double weight = move.parameters.empty()
                              ? static_cast<double>(known.observations)
                              : weight_of(known.observations, known.gain_low, known.gain_high);
    belief.add(safe_log(known.predicted_gain), weight);
  }
  if (exact != nullptr) result.feasibility = exact->feasibility;
  if (compared) {
    belief.add(safe_log(exact->predicted_gain),
               weight_of(exact->observations, exact->gain_low, exact->gain_high));
  }
  const InsightPull pull = pull_of(move, advice.insights, previous);
  double gain =
      (kGuessWeight * belief.log_gain + pull.weight * pull.log_gain) / (kGuessWeight + pull.weight);
  double weight = belief.weight;
  if (pull.exact_log_gain) gain += kExactShare * (*pull.exact_log_gain - gain);
  // What such an insight measured is among the statistics of the very parameters, where there are.
  if (!pull.exact_log_gain || !compared) weight += pull.weight;
  if (pull.exact_log_gain && !compared) weight += kGuessWeight;
  result.log_gain = gain;
  result.deviation = std::max(kGuessDeviation * std::sqrt(kGuessWeight / weight), kLeastDeviation);
  return result;
}

Prediction prediction_of(const ScoredMove& move) {
  const double half = move_reach(move.log_gain, move.deviation);
  return {std::exp(move.log_gain), std::exp(move.log_gain - half), std::exp(move.log_gain + half)};
}

}  // namespace warpmind::agents
