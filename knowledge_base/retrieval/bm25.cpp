#include "knowledge_base/retrieval/bm25.h"

#include <algorithm>
#include <cmath>

namespace warpmind::knowledge_base {

double rarity(std::int64_t documents, std::int64_t holders) {
  const auto n = static_cast<double>(std::max(documents, holders));
  const auto df = static_cast<double>(holders);
  return std::log1p((n - df + 0.5) / (df + 0.5));
}

double bm25(double times, double length, double average_length) {
  times = std::min(times, kMostTimes);
  const double shape = 1 - kBm25Length + kBm25Length * length / std::max(average_length, 1.0);
  return times * (kBm25Saturation + 1) / (times + kBm25Saturation * shape);
}

}  // namespace warpmind::knowledge_base
