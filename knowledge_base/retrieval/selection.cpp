#include "knowledge_base/retrieval/selection.h"

#include "knowledge_base/retrieval/stable_hash.h"

#include <algorithm>
#include <bit>
#include <map>

namespace warpmind::knowledge_base {
namespace {

/// Value against novelty.
constexpr double kValueShare = 0.7;
/// Unrelated texts differ in half of the bits; this few say that they are near.
constexpr double kNearBits = 24;
constexpr double kSameTechnique = 0.4;
constexpr std::int64_t kBytesPerToken = 4;

std::int64_t tokens_of(const Insight& insight) {
  const auto bytes =
      static_cast<std::int64_t>(insight.claim.size() + insight.action.parameters.size());
  return (bytes + kBytesPerToken - 1) / kBytesPerToken;
}

/// Candidates still in question, each with its likeness to what was taken.
struct Open {
  const Candidate* candidate = nullptr;
  const CatalogueEntry* entry = nullptr;
  double likeness = 0;
};

std::vector<Open>::iterator best_of(std::vector<Open>& open, double full) {
  const auto score = [full](const Open& one) {
    return kValueShare * one.candidate->value / full - (1 - kValueShare) * one.likeness;
  };
  return std::max_element(open.begin(), open.end(),
                          [&](const Open& a, const Open& b) { return score(a) < score(b); });
}

}  // namespace

double similarity(const CatalogueEntry& a, const CatalogueEntry& b) {
  const double distance = std::popcount(a.simhash ^ b.simhash);
  const double words = std::max(0.0, 1 - distance / kNearBits);
  const bool same = a.first_technique_hash != 0 && a.first_technique_hash == b.first_technique_hash;
  return std::max(words, same ? kSameTechnique : 0.0);
}

std::size_t most_of_one_source(std::int64_t limit) {
  return static_cast<std::size_t>((limit + 1) / 2);
}

bool is_capped(std::uint64_t source) {
  return source != name_hash("episodes") && source != name_hash("seed");
}

Result<Selection> select(const std::vector<Candidate>& candidates, const Catalogue& catalogue,
                         const InsightQuery& query, const Admit& admit) {
  std::vector<Open> open;
  open.reserve(candidates.size());
  for (const auto& candidate : candidates) {
    open.push_back({&candidate, &catalogue.at(candidate.document)});
  }
  const double full = candidates.empty() ? 1 : std::max(candidates.front().value, 1e-12);
  Selection selection;
  std::map<std::uint64_t, std::size_t> of_source;
  std::int64_t budget = query.token_budget;
  while (!open.empty() && selection.picks.size() < static_cast<std::size_t>(query.limit)) {
    const auto best = best_of(open, full);
    const Open taken = *best;
    open.erase(best);
    auto& used = of_source[taken.entry->source_hash];
    WARPMIND_TRY(auto insight, admit(*taken.candidate));
    if (!insight) continue;
    if (tokens_of(*insight) > budget) {
      selection.over_budget = true;
      continue;
    }
    budget -= tokens_of(*insight);
    ++used;
    selection.picks.push_back({*taken.candidate, std::move(*insight)});
    if (is_capped(taken.entry->source_hash) && used >= most_of_one_source(query.limit)) {
      std::erase_if(open, [&](const Open& other) {
        return other.entry->source_hash == taken.entry->source_hash;
      });
    }
    for (auto& other : open) {
      other.likeness = std::max(other.likeness, similarity(*taken.entry, *other.entry));
    }
  }
  // Likeness decides who is in the answer; who reads it sees the values, and their order.
  std::stable_sort(
      selection.picks.begin(), selection.picks.end(),
      [](const Pick& a, const Pick& b) { return a.candidate.value > b.candidate.value; });
  return selection;
}

}  // namespace warpmind::knowledge_base
