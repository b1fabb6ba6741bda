#include "knowledge_base/graph/calibration.h"

#include "base/sequence.h"
#include "knowledge_base/evidence.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace warpmind::knowledge_base {
namespace {

bool is_gain(double value) { return std::isfinite(value) && value > 0; }

std::vector<double> ranks_of(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&values](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> ranks(values.size());
  for (std::size_t first = 0; first < order.size();) {
    std::size_t end = first + 1;
    while (end < order.size() && values[order[end]] == values[order[first]]) ++end;
    const double shared = (static_cast<double>(first) + static_cast<double>(end - 1)) / 2;
    for (; first < end; ++first) ranks[order[first]] = shared;
  }
  return ranks;
}

}  // namespace

std::optional<Forecast> forecast_of(const Step& step, Provider provider) {
  const Candidate& candidate = step.candidate;
  if (candidate.proposer == "memory" || !step.verdict.comparison) return std::nullopt;
  const bool predicted = is_gain(candidate.predicted_gain) && is_gain(candidate.predicted_low) &&
                         is_gain(candidate.predicted_high) &&
                         candidate.predicted_low < candidate.predicted_high;
  const Outcome outcome = step.verdict.outcome;
  const bool works = outcome == Outcome::improved || outcome == Outcome::same ||
                     outcome == Outcome::regressed || outcome == Outcome::inconclusive;
  const Comparison& comparison = *step.verdict.comparison;
  if (!predicted || !works || !is_gain(comparison.ratio) || !is_confirmed(comparison, provider)) {
    return std::nullopt;
  }
  return Forecast{std::log(candidate.predicted_gain), std::log(candidate.predicted_low),
                  std::log(candidate.predicted_high), std::log(comparison.ratio)};
}

std::pair<double, double> wilson_interval(std::int64_t hits, std::int64_t trials) {
  constexpr double kZ = 1.959963984540054;
  if (trials <= 0) return {0, 1};
  const auto n = static_cast<double>(trials);
  const double share = static_cast<double>(hits) / n;
  const double weight = kZ * kZ / n;
  const double middle = (share + weight / 2) / (1 + weight);
  const double reach = kZ * std::sqrt(share * (1 - share) / n + weight / (4 * n)) / (1 + weight);
  return {std::max(0.0, middle - reach), std::min(1.0, middle + reach)};
}

double spearman(const std::vector<double>& a, const std::vector<double>& b) {
  if (a.size() < 2 || a.size() != b.size()) return 0;
  const auto left = ranks_of(a);
  const auto right = ranks_of(b);
  const double left_mean = mean_of(left);
  const double right_mean = mean_of(right);
  double together = 0;
  double left_squares = 0;
  double right_squares = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double x = left[i] - left_mean;
    const double y = right[i] - right_mean;
    together += x * y;
    left_squares += x * x;
    right_squares += y * y;
  }
  if (left_squares <= 0 || right_squares <= 0) return 0;
  return together / std::sqrt(left_squares * right_squares);
}

Calibration calibrate(const std::vector<Forecast>& forecasts) {
  Calibration result;
  result.predictions = static_cast<std::int64_t>(forecasts.size());
  std::tie(result.coverage_low, result.coverage_high) = wilson_interval(0, 0);
  if (forecasts.empty()) return result;
  std::int64_t inside = 0;
  std::vector<double> predicted;
  std::vector<double> measured;
  for (const auto& forecast : forecasts) {
    if (forecast.low <= forecast.measured && forecast.measured <= forecast.high) ++inside;
    predicted.push_back(forecast.predicted);
    measured.push_back(forecast.measured);
  }
  result.coverage = static_cast<double>(inside) / static_cast<double>(forecasts.size());
  std::tie(result.coverage_low, result.coverage_high) = wilson_interval(inside, result.predictions);
  result.spearman = spearman(predicted, measured);
  result.bias = mean_of(measured) - mean_of(predicted);
  return result;
}

}  // namespace warpmind::knowledge_base
