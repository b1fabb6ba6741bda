#pragma once
/// \file
/// The best documents of several terms' postings, without looking at those that cannot be among
/// them (MaxScore). Private to the term index.

#include "knowledge_base/retrieval/postings.h"
#include "knowledge_base/retrieval/term_index.h"

#include <array>
#include <vector>

namespace warpmind::knowledge_base {

/// A term of a query: its postings by bucket, and what each of them scores.
class ScoredTerm {
 public:
  ScoredTerm(std::vector<PostingsView> buckets, double rarity, double average_length);

  [[nodiscard]] bool empty() const { return holders_ == 0; }
  [[nodiscard]] std::size_t holders() const { return holders_; }
  [[nodiscard]] const PostingsView& bucket(std::size_t at) const { return buckets_[at]; }
  [[nodiscard]] std::size_t bucket_count() const { return buckets_.size(); }
  /// No posting scores more.
  [[nodiscard]] float bound() const { return bound_; }
  [[nodiscard]] float score(const Posting& posting) const {
    if (posting.times - 1U < kTabled)
      return table_[(posting.times - 1U) * kLengths + posting.length];
    return uncommon_score(posting);
  }

 private:
  static constexpr std::size_t kTabled = 4;  ///< times; more is rare
  static constexpr std::size_t kLengths = 256;
  [[nodiscard]] float uncommon_score(const Posting& posting) const;

  std::vector<PostingsView> buckets_;
  double rarity_;
  double average_length_;
  std::size_t holders_ = 0;
  float bound_ = 0;
  std::vector<float> table_;  ///< by times and length
};

[[nodiscard]] std::vector<TermHit> best_documents(std::vector<ScoredTerm> terms,
                                                  const TermQuery& query);

}  // namespace warpmind::knowledge_base
