#pragma once
/// \file
/// From ranked lists to one order of candidates: fusion by rank, then what following one is worth.

#include "knowledge_base/retrieval/catalogue_entry.h"
#include "knowledge_base/retrieval/query.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpmind::knowledge_base {

/// Damps the first places: weight / (kRankOffset + rank).
inline constexpr double kRankOffset = 10;

struct RankedList {
  Ranking ranking = Ranking::words;
  std::vector<std::int64_t> documents;  ///< best first
  std::vector<float> scores;            ///< beside them
  /// Beside them where the ranking says it: at least so many words of the query are in a document.
  std::vector<int> least_words = {};
};

struct Candidate {
  std::int64_t document = 0;
  double relevance = 0;                   ///< 0 … 1; 1 = first in every list
  double value = 0;                       ///< relevance times what it is worth
  std::array<int, kRankings> ranks{};     ///< from 1; 0 = not in that list
  std::array<float, kRankings> scores{};  ///< of the lists it is in
  int least_words = 0;                    ///< of the query that are in it, at least
};

/// Weighted reciprocal-rank fusion, of words also by their score; best first, equal ones by
/// document.
[[nodiscard]] std::vector<Candidate> fuse(const std::vector<RankedList>& lists,
                                          const RankingWeights& weights);

/// How far state and trust speak for an insight: 1 = measured here, not yet settled.
[[nodiscard]] double standing_of(const CatalogueEntry& entry);

/// A draw from the belief about ln(gain), the same for the same seed and insight whatever else is
/// asked; its mean for seed 0.
[[nodiscard]] double sampled_utility(const CatalogueEntry& entry, std::uint64_t seed);

/// Relevance times standing times the sampled factor of time (held to a half … two).
[[nodiscard]] double value_of(double relevance, const CatalogueEntry& entry, std::uint64_t seed);

/// The same of an insight about other operators than those asked about: what was measured there
/// lifts it no higher than a claim.
[[nodiscard]] double value_elsewhere(double relevance, const CatalogueEntry& entry,
                                     std::uint64_t seed);

/// 0 … 1, the same for the same arguments; `use` separates draws of one seed.
[[nodiscard]] double uniform_draw(std::uint64_t seed, std::uint64_t id, std::uint64_t use);

}  // namespace warpmind::knowledge_base
