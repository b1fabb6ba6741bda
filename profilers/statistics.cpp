#include "profilers/statistics.h"

#include "base/sequence.h"

#include <algorithm>
#include <cmath>

namespace warpmind::profilers {
namespace {

constexpr double kConfidence = 0.99;      // one-sided bound behind improved and regressed
constexpr double kSameConfidence = 0.95;  // each side of the 90 % interval behind same

/// Continued fraction of the incomplete beta function (Lentz's method).
double beta_fraction(double a, double b, double x) {
  constexpr double kTiny = 1e-300;
  double c = 1;
  double d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::abs(d) < kTiny ? kTiny : d);
  double value = d;
  for (int m = 1; m <= 300; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    double step = 1;
    for (const double term : {even, odd}) {
      d = 1 + term * d;
      d = 1 / (std::abs(d) < kTiny ? kTiny : d);
      c = 1 + term / c;
      if (std::abs(c) < kTiny) c = kTiny;
      step = c * d;
      value *= step;
    }
    if (std::abs(step - 1) < 1e-15) break;
  }
  return value;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) +
                                a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                   : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_t_cdf(double t, double freedom) {
  const double tail = 0.5 * incomplete_beta(freedom / 2, 0.5, freedom / (freedom + t * t));
  return t >= 0 ? 1 - tail : tail;
}

struct MeanError {
  double mean = 0;
  double standard_error = 0;
};

MeanError mean_error(const std::vector<double>& values) {
  MeanError result;
  const double n = static_cast<double>(values.size());
  for (const double value : values) result.mean += value / n;
  double squares = 0;
  for (const double value : values) squares += (value - result.mean) * (value - result.mean);
  result.standard_error = std::sqrt(squares / (n - 1) / n);
  return result;
}

bool usable(const QuadSample& quad) {
  const auto positive = [](double value) { return std::isfinite(value) && value > 0; };
  return !quad.candidate_ns.empty() && !quad.incumbent_ns.empty() &&
         std::all_of(quad.candidate_ns.begin(), quad.candidate_ns.end(), positive) &&
         std::all_of(quad.incumbent_ns.begin(), quad.incumbent_ns.end(), positive);
}

double mean_log(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += std::log(value);
  return sum / static_cast<double>(values.size());
}

/// The rule on any set of independent log ratios.
Decision decide_on(const std::vector<double>& values, double noise) {
  const auto [mean, error] = mean_error(values);
  const double freedom = static_cast<double>(values.size()) - 1;
  const double reach = student_t_quantile(kConfidence, freedom) * error;
  const double same_reach = student_t_quantile(kSameConfidence, freedom) * error;
  const double smallest = std::max(kSmallestGain, 2 * noise);

  Decision decision;
  decision.comparison.ratio = std::exp(mean);
  decision.comparison.low = std::exp(mean - reach);
  decision.comparison.high = std::exp(mean + reach);
  decision.comparison.confidence = kConfidence;
  if (mean - reach > 0 && mean >= smallest) {
    decision.outcome = Outcome::improved;
  } else if (mean + reach < 0 && mean <= -smallest) {
    decision.outcome = Outcome::regressed;
  } else if (mean - same_reach > -kSameBand && mean + same_reach < kSameBand) {
    decision.outcome = Outcome::same;
  }
  return decision;
}

}  // namespace

MedianInterval median_interval(std::vector<double> values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  // Largest rank k with P(Binomial(n, 1/2) < k) <= 2.5 %: the k-th smallest and k-th largest value
  // enclose the median with at least 95 %.
  const double n = static_cast<double>(values.size());
  double log_term = -n * std::log(2.0);  // of 0 successes
  double below = std::exp(log_term);
  std::size_t rank = 0;
  while (below <= 0.025 && rank + 1 < values.size()) {
    ++rank;
    log_term += std::log((n - static_cast<double>(rank) + 1) / static_cast<double>(rank));
    below += std::exp(log_term);
  }
  const std::size_t low = rank == 0 ? 0 : rank - 1;
  return {median_of(values), values[low], values[values.size() - 1 - low]};
}

double student_t_quantile(double probability, double freedom) {
  double low = 0;
  double high = 1;
  while (student_t_cdf(high, freedom) < probability && high < 1e6) high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * high; ++i) {
    const double middle = 0.5 * (low + high);
    (student_t_cdf(middle, freedom) < probability ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

double log_ratio(const QuadSample& quad) {
  return mean_log(quad.incumbent_ns) - mean_log(quad.candidate_ns);
}

std::vector<double> quad_log_ratios(const std::vector<QuadSample>& quads) {
  std::vector<double> ratios;
  for (const auto& quad : quads) {
    if (usable(quad)) ratios.push_back(log_ratio(quad));
  }
  return ratios;
}

double process_log_ratio(const std::vector<QuadSample>& quads) {
  return median_of(quad_log_ratios(quads));
}

Decision decide(const std::vector<double>& process_log_ratios, double noise, std::int64_t quads) {
  Decision decision;
  if (process_log_ratios.size() >= 3) decision = decide_on(process_log_ratios, noise);
  decision.comparison.processes = static_cast<std::int64_t>(process_log_ratios.size());
  decision.comparison.quads = quads;
  return decision;
}

Screening screen(const std::vector<double>& log_ratios, double noise) {
  Screening screening;
  if (log_ratios.size() >= 3) screening.decision = decide_on(log_ratios, noise);
  // Quads of one process are not independent: good enough to give up, never to claim a gain.
  if (screening.decision.outcome == Outcome::improved) {
    screening.decision.outcome = Outcome::inconclusive;
  }
  screening.decision.comparison.processes = 1;
  screening.decision.comparison.quads = static_cast<std::int64_t>(log_ratios.size());
  screening.promising = !log_ratios.empty() && std::exp(median_of(log_ratios)) >= kPromisingRatio;
  return screening;
}

double self_noise(const std::vector<double>& blocks_ns) {
  std::vector<QuadSample> quads;
  for (std::size_t i = 0; i + 4 <= blocks_ns.size(); i += 4) {
    quads.push_back({{blocks_ns[i + 1], blocks_ns[i + 2]}, {blocks_ns[i], blocks_ns[i + 3]}});
  }
  return std::abs(process_log_ratio(quads));
}

}  // namespace warpmind::profilers
