#pragma once
/// \file
/// The best documents of several terms' postings, without looking at those that cannot be among
/// them (MaxScore). Private to the term index.

#include "knowledge_base/retrieval/bm25.h"
#include "knowledge_base/retrieval/postings.h"
#include "knowledge_base/retrieval/term_index.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace warpmind::knowledge_base {

/// What a posting says before the rarity of its term; the same for all terms of a query.
class UnitScores {
 public:
  explicit UnitScores(double average_length);
  [[nodiscard]] float unit_score(const Posting& posting) const {
    const std::size_t times = std::clamp<std::size_t>(posting.times, 1, kTabled);
    return table_[(times - 1) * kLengths + posting.length];
  }
  [[nodiscard]] float most() const { return table_[(kTabled - 1) * kLengths]; }

 private:
  static constexpr auto kTabled = static_cast<std::size_t>(kMostTimes);
  static constexpr std::size_t kLengths = 256;
  std::array<float, kTabled * kLengths> table_{};  ///< by times and length
};

/// A term of a query: its postings by bucket, and what each of them scores.
class ScoredTerm {
 public:
  /// `units` must outlive it.
  ScoredTerm(std::vector<PostingsView> buckets, double rarity, const UnitScores& units)
      : buckets_(std::move(buckets)),
        rarity_(static_cast<float>(rarity)),
        bound_(rarity_ * units.most()),
        units_(&units) {}

  [[nodiscard]] const PostingsView& bucket(std::size_t at) const { return buckets_[at]; }
  [[nodiscard]] std::size_t bucket_count() const { return buckets_.size(); }
  /// No posting scores more.
  [[nodiscard]] float bound() const { return bound_; }
  [[nodiscard]] float score(const Posting& posting) const {
    return rarity_ * units_->unit_score(posting);
  }

 private:
  std::vector<PostingsView> buckets_;
  float rarity_;
  float bound_;
  const UnitScores* units_;
};

[[nodiscard]] std::vector<TermHit> best_documents(std::vector<ScoredTerm> terms,
                                                  const TermQuery& query);

}  // namespace warpmind::knowledge_base
