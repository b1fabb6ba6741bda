#include "tests/bench/retrieval_quality/ranking_quality.h"

#include <algorithm>
#include <cmath>

namespace warpmind::bench {
namespace {

double discounted(const std::vector<int>& grades) {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(grades.size(), kDepth); ++i) {
    sum += (std::exp2(grades[i]) - 1) / std::log2(static_cast<double>(i) + 2);
  }
  return sum;
}

}  // namespace

Quality quality_of(const std::vector<std::string>& ranked,
                   const std::map<std::string, int>& grades) {
  std::vector<int> found;
  for (const auto& name : ranked) {
    const auto grade = grades.find(name);
    found.push_back(grade == grades.end() ? 0 : grade->second);
  }
  std::vector<int> ideal;
  for (const auto& [name, grade] : grades) ideal.push_back(grade);
  std::sort(ideal.begin(), ideal.end(), std::greater<>());
  const auto is_relevant = [](int grade) { return grade >= kRelevant; };
  const auto all = std::count_if(ideal.begin(), ideal.end(), is_relevant);
  const auto depth = static_cast<std::ptrdiff_t>(std::min(found.size(), kDepth));
  const auto first = std::find_if(found.begin(), found.end(), is_relevant);
  Quality quality;
  const double best = discounted(ideal);
  quality.ndcg = best > 0 ? discounted(found) / best : 0;
  if (all > 0) {
    const auto hits = std::count_if(found.begin(), found.begin() + depth, is_relevant);
    quality.recall = static_cast<double>(hits) /
                     static_cast<double>(std::min(all, static_cast<std::ptrdiff_t>(kDepth)));
  }
  if (first != found.end()) {
    quality.reciprocal_rank = 1 / static_cast<double>(first - found.begin() + 1);
  }
  return quality;
}

void MeanQuality::add(const Quality& one) {
  sum_.ndcg += one.ndcg;
  sum_.recall += one.recall;
  sum_.reciprocal_rank += one.reciprocal_rank;
  ++count_;
}

Quality MeanQuality::mean() const {
  const double n = count_ == 0 ? 1 : static_cast<double>(count_);
  return {sum_.ndcg / n, sum_.recall / n, sum_.reciprocal_rank / n};
}

}  // namespace warpmind::bench
