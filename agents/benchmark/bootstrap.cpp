#include "agents/benchmark/bootstrap.h"

#include "base/sequence.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace warpmind::agents::benchmark {
namespace {

/// 0 … count - 1; the bias of a remainder of 64 bits is below every digit shown.
std::size_t draw(std::mt19937_64& dice, std::size_t count) { return dice() % count; }

double resampled_mean(const Groups& groups, std::mt19937_64& dice) {
  double sum = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto& group = groups[draw(dice, groups.size())];
    double within = 0;
    for (std::size_t k = 0; k < group.size(); ++k) within += group[draw(dice, group.size())];
    sum += within / static_cast<double>(group.size());
  }
  return sum / static_cast<double>(groups.size());
}

double quantile(const std::vector<double>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double rest = place - static_cast<double>(below);
  return sorted[below] + rest * (sorted[above] - sorted[below]);
}

}  // namespace

Interval bootstrap(const Groups& all, const Resampling& resampling) {
  Groups groups;
  for (const auto& group : all) {
    if (!group.empty()) groups.push_back(group);
  }
  Interval interval;
  if (groups.empty() || resampling.samples < 1) return interval;
  for (const auto& group : groups) interval.mean += mean_of(group);
  interval.mean /= static_cast<double>(groups.size());
  std::mt19937_64 dice(resampling.seed);
  std::vector<double> means(static_cast<std::size_t>(resampling.samples));
  for (auto& mean : means) mean = resampled_mean(groups, dice);
  std::sort(means.begin(), means.end());
  interval.low = quantile(means, 0.025);
  interval.high = quantile(means, 0.975);
  const auto count = static_cast<double>(means.size());
  const auto at_most =
      static_cast<double>(std::upper_bound(means.begin(), means.end(), 0.0) - means.begin());
  const auto at_least =
      static_cast<double>(means.end() - std::lower_bound(means.begin(), means.end(), 0.0));
  const double tail = std::min(at_most, at_least);
  interval.p = std::min(1.0, 2 * (tail + 1) / (count + 1));
  return interval;
}

std::vector<double> holm(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  std::vector<double> corrected(p.size(), 1);
  double largest = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    const double scaled = p[order[rank]] * static_cast<double>(p.size() - rank);
    largest = std::max(largest, std::min(1.0, scaled));
    corrected[order[rank]] = largest;
  }
  return corrected;
}

}  // namespace warpmind::agents::benchmark
