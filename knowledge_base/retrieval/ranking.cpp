#include "knowledge_base/retrieval/ranking.h"

#include "knowledge_base/retrieval/stable_hash.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unordered_map>

namespace warpmind::knowledge_base {
namespace {

/// Separates the draws of one seed and insight.
constexpr std::uint64_t kRadius = 1;
constexpr std::uint64_t kAngle = 2;

double state_weight(InsightState state) {
  switch (state) {
    case InsightState::confirmed: return 1.2;
    case InsightState::probation: return 1.0;
    case InsightState::proposed: return 0.8;
    case InsightState::contested: return 0.6;
    case InsightState::quarantined:
    case InsightState::deprecated:
    case InsightState::retracted: return 0.4;
  }
  return 0.4;
}

double trust_weight(Trust trust) {
  switch (trust) {
    case Trust::t0: return 0.85;
    case Trust::t1: return 0.9;
    case Trust::t2: return 1.0;
    case Trust::t3: return 1.1;
    case Trust::t4: return 1.2;
  }
  return 0.85;
}

/// How near the entry at `i` comes to the first of its list. BM25 adds up what the words say, so
/// that a second with half of them is half as near; cosines have no such zero, and count by rank
/// alone.
double share_of_first(const RankedList& list, std::size_t i) {
  if (list.ranking != Ranking::words || list.scores.empty() || list.scores.front() <= 0) return 1;
  return static_cast<double>(list.scores[i] / list.scores.front());
}

/// One draw must not outweigh what was asked.
constexpr double kMostLogFactor = std::numbers::ln2;

}  // namespace

std::vector<Candidate> fuse(const std::vector<RankedList>& lists, const RankingWeights& weights) {
  std::vector<Candidate> candidates;
  std::unordered_map<std::int64_t, std::size_t> places;
  double full = 0;
  for (const auto& list : lists) {
    const auto ranking = static_cast<std::size_t>(list.ranking);
    const double weight = weights.at(ranking);
    full += weight / (kRankOffset + 1);
    for (std::size_t i = 0; i < list.documents.size(); ++i) {
      const auto [place, is_new] = places.try_emplace(list.documents[i], candidates.size());
      if (is_new) candidates.push_back({.document = list.documents[i]});
      auto& candidate = candidates[place->second];
      candidate.relevance +=
          weight * share_of_first(list, i) / (kRankOffset + static_cast<double>(i + 1));
      candidate.ranks.at(ranking) = static_cast<int>(i + 1);
      candidate.scores.at(ranking) = list.scores[i];
      if (i < list.least_words.size()) candidate.least_words = list.least_words[i];
    }
  }
  for (auto& candidate : candidates) candidate.relevance /= full;
  std::sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
    return a.relevance != b.relevance ? a.relevance > b.relevance : a.document < b.document;
  });
  return candidates;
}

double standing_of(const CatalogueEntry& entry) {
  return state_weight(entry.state) * trust_weight(entry.trust);
}

double uniform_draw(std::uint64_t seed, std::uint64_t id, std::uint64_t use) {
  const std::uint64_t bits = mix_bits(mix_bits(seed ^ mix_bits(id)) + use);
  return static_cast<double>(bits >> 11U) * 0x1p-53;
}

double sampled_utility(const CatalogueEntry& entry, std::uint64_t seed) {
  const auto mean = static_cast<double>(entry.utility_mean);
  if (seed == 0) return mean;
  // Box-Muller; 1 - u is never 0.
  const double radius = std::sqrt(-2 * std::log(1 - uniform_draw(seed, entry.id, kRadius)));
  const double angle = 2 * std::numbers::pi * uniform_draw(seed, entry.id, kAngle);
  return mean + static_cast<double>(entry.utility_deviation) * radius * std::cos(angle);
}

double value_of(double relevance, const CatalogueEntry& entry, std::uint64_t seed) {
  const double utility = std::clamp(sampled_utility(entry, seed), -kMostLogFactor, kMostLogFactor);
  return relevance * standing_of(entry) * std::exp(utility);
}

double value_elsewhere(double relevance, const CatalogueEntry& entry, std::uint64_t seed) {
  CatalogueEntry claim;
  claim.state = InsightState::proposed;
  claim.trust = Trust::t0;
  return std::min(value_of(relevance, entry, seed), relevance * standing_of(claim));
}

}  // namespace warpmind::knowledge_base
