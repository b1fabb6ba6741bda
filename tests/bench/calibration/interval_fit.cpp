#include "tests/bench/calibration/interval_fit.h"

#include "base/prediction_interval.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string_view>
#include <utility>

namespace warpmind::calibration {
namespace {

constexpr double kStep = 0.1;
constexpr double kMostPerGain = 20;
constexpr double kRounding = 1e-9;

int rank_of(const std::string& confidence) {
  if (confidence == "high") return 2;
  return confidence == "medium" ? 1 : 0;
}

template <class Row>
std::set<std::string> families_of(const std::vector<Row>& rows) {
  std::set<std::string> families;
  for (const Row& row : rows) families.insert(row.family);
  return families;
}

/// Those of the family, and the others.
template <class Row>
std::pair<std::vector<Row>, std::vector<Row>> parted(const std::vector<Row>& rows,
                                                     const std::string& family) {
  std::pair<std::vector<Row>, std::vector<Row>> parts;
  for (const Row& row : rows) {
    (row.family == family ? parts.first : parts.second).push_back(row);
  }
  return parts;
}

double deviation_of(const ExpectedGain& one, double per_gain) {
  return kEightyPercent * one.spread * std::hypot(1, per_gain * std::log(one.expected));
}

bool is_inside(const ExpectedGain& one, double per_gain) {
  return std::abs(std::log(one.measured / one.expected)) <= deviation_of(one, per_gain);
}

void add_family(Coverage& coverage, std::size_t rows, std::size_t inside) {
  coverage.rows += rows;
  coverage.inside += inside;
  const auto before = static_cast<double>(coverage.families++);
  const double share = static_cast<double>(inside) / static_cast<double>(rows);
  coverage.of_families = (coverage.of_families * before + share) / (before + 1);
}

}  // namespace

std::vector<Miss> time_misses(const std::vector<PredictedTime>& times) {
  std::vector<Miss> misses;
  for (const auto& one : times) {
    misses.push_back({one.family, one.confidence, std::abs(one.miss())});
  }
  return misses;
}

std::vector<Miss> gain_misses(const std::vector<PredictedTime>& times) {
  std::vector<Miss> misses;
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (std::size_t j = i + 1; j < times.size(); ++j) {
      const PredictedTime& a = times[i];
      const PredictedTime& b = times[j];
      if (a.task != b.task) continue;
      const bool a_is_lower = rank_of(a.confidence) < rank_of(b.confidence);
      misses.push_back(
          {a.family, a_is_lower ? a.confidence : b.confidence, std::abs(a.miss() - b.miss())});
    }
  }
  return misses;
}

double fitted_width(const std::vector<Miss>& misses, double share) {
  std::map<std::string, double> rows;
  for (const Miss& one : misses) rows[one.family] += 1;
  std::vector<std::pair<double, double>> weighted;  // off, weight
  for (const Miss& one : misses) weighted.emplace_back(one.off, 1 / rows[one.family]);
  std::sort(weighted.begin(), weighted.end());
  const double wanted = share * static_cast<double>(rows.size());
  double sum = 0;
  for (const auto& [off, weight] : weighted) {
    sum += weight;
    if (sum >= wanted - kRounding) return off;
  }
  return weighted.empty() ? 0 : weighted.back().first;
}

std::vector<Miss> with_interval(const std::vector<Miss>& misses, bool printed) {
  std::vector<Miss> chosen;
  for (const Miss& one : misses) {
    if (time_factor(one.confidence).has_value() == printed) chosen.push_back(one);
  }
  return chosen;
}

double fitted_miss_per_gain(const std::vector<ExpectedGain>& gains, double share) {
  double per_gain = 0;
  const double wanted = share * static_cast<double>(gains.size());
  while (per_gain < kMostPerGain &&
         static_cast<double>(std::count_if(
             gains.begin(), gains.end(),
             [&](const auto& one) { return is_inside(one, per_gain); })) < wanted) {
    per_gain += kStep;
  }
  return per_gain;
}

Coverage left_out_coverage(const std::vector<Miss>& misses, double share) {
  Coverage coverage;
  for (const auto& family : families_of(misses)) {
    const auto [left_out, others] = parted(misses, family);
    const double width = fitted_width(others, share);
    const auto inside = std::count_if(left_out.begin(), left_out.end(),
                                      [&](const Miss& one) { return one.off <= width; });
    add_family(coverage, left_out.size(), static_cast<std::size_t>(inside));
  }
  return coverage;
}

Coverage left_out_coverage(const std::vector<ExpectedGain>& gains, double share) {
  Coverage coverage;
  for (const auto& family : families_of(gains)) {
    const auto [left_out, others] = parted(gains, family);
    const double per_gain = fitted_miss_per_gain(others, share);
    const auto inside =
        std::count_if(left_out.begin(), left_out.end(),
                      [&](const ExpectedGain& one) { return is_inside(one, per_gain); });
    add_family(coverage, left_out.size(), static_cast<std::size_t>(inside));
  }
  return coverage;
}

}  // namespace warpmind::calibration
