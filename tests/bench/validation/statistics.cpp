#include "tests/bench/validation/statistics.h"

#include <algorithm>
#include <cmath>

namespace warpmind::validation {

Ordering& Ordering::operator+=(const Ordering& other) {
  right += other.right;
  pairs += other.pairs;
  return *this;
}

Ordering ordering_of(const std::vector<TimePair>& points, double margin) {
  Ordering out;
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool is_first_faster = points[i].measured < points[j].measured;
      const TimePair& fast = is_first_faster ? points[i] : points[j];
      const TimePair& slow = is_first_faster ? points[j] : points[i];
      if (slow.measured <= fast.measured * (1 + margin)) continue;
      out.pairs += 1;
      if (fast.predicted < slow.predicted) out.right += 1;
      if (fast.predicted == slow.predicted) out.right += 0.5;
    }
  }
  return out;
}

double top_regret(const std::vector<TimePair>& points) {
  if (points.empty()) return 1;
  const auto chosen =
      std::min_element(points.begin(), points.end(),
                       [](const auto& a, const auto& b) { return a.predicted < b.predicted; });
  const auto best =
      std::min_element(points.begin(), points.end(),
                       [](const auto& a, const auto& b) { return a.measured < b.measured; });
  return chosen->measured / best->measured;
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const double place = share * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (values[above] - values[below]) * (place - static_cast<double>(below));
}

std::vector<double> factors_of(const std::vector<TimePair>& points) {
  std::vector<double> out;
  out.reserve(points.size());
  for (const TimePair& point : points) out.push_back(point.predicted / point.measured);
  return out;
}

double mean_factor(const std::vector<TimePair>& points) {
  double sum = 0;
  for (const TimePair& point : points) sum += std::abs(std::log(point.predicted / point.measured));
  return points.empty() ? 1 : std::exp(sum / static_cast<double>(points.size()));
}

std::vector<double> ratio_misses(const std::vector<TimePair>& points) {
  const std::vector<double> factors = factors_of(points);
  std::vector<double> out;
  for (std::size_t i = 0; i < factors.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      out.push_back(std::max(factors[i] / factors[j], factors[j] / factors[i]));
    }
  }
  return out;
}

}  // namespace warpmind::validation
