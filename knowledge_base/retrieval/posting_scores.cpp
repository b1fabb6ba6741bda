#include "knowledge_base/retrieval/posting_scores.h"

#include <algorithm>
#include <array>
#include <bit>

namespace warpmind::knowledge_base {
namespace {

/// Whether `a` comes before `b` in the answer.
bool is_better(const TermHit& a, const TermHit& b) {
  return a.score > b.score || (a.score == b.score && a.document < b.document);
}

/// Documents that are scored together: their scores fit the fastest cache.
constexpr std::size_t kBlock = 4096;
static_assert(kBucketDocuments % kBlock == 0);

/// Scores of the documents of one block, and which of them were met.
class BlockScores {
 public:
  void add(std::size_t within, float score) {
    met_[within / 64] |= 1ULL << (within % 64);
    scores_[within] += score;
  }
  /// Calls `take(within, score)` for each document that was met, in order, and forgets all.
  template <class Take>
  void drain(const Take& take) {
    for (std::size_t word = 0; word < met_.size(); ++word) {
      for (std::uint64_t bits = met_[word]; bits != 0; bits &= bits - 1) {
        const std::size_t within = word * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        take(within, scores_[within]);
        scores_[within] = 0;
      }
      met_[word] = 0;
    }
  }

 private:
  std::array<float, kBlock> scores_{};
  std::array<std::uint64_t, kBlock / 64> met_{};
};

struct Candidate {
  std::uint16_t document = 0;
  float score = 0;
};

/// Blocks one after the other, terms in descending order of their bounds. The terms at the end
/// whose bounds together do not reach the worst hit so far are not essential: a document with none
/// but them cannot be a hit, so their postings are only looked up for documents that others found.
class Search {
 public:
  Search(std::vector<ScoredTerm> terms, const TermQuery& query)
      : terms_(std::move(terms)), query_(query), rest_(terms_.size() + 1, 0.0F) {
    std::stable_sort(terms_.begin(), terms_.end(), [](const ScoredTerm& a, const ScoredTerm& b) {
      return a.bound() > b.bound();
    });
    for (std::size_t i = terms_.size(); i-- > 0;) {
      // A little more than the sum, so that rounding never hides a hit.
      rest_[i] = (rest_[i + 1] + terms_[i].bound()) * 1.000001F;
    }
    hits_.reserve(std::min(query.limit, kBucketDocuments) + 1);
  }

  std::vector<TermHit> run() {
    const std::size_t buckets = terms_.empty() ? 0 : terms_.front().bucket_count();
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
      cursors_.assign(terms_.size(), 0);
      for (std::size_t begin = 0; begin < kBucketDocuments; begin += kBlock) {
        const std::size_t essential = essential_terms();
        if (essential == 0) break;
        find_candidates({bucket, begin}, essential);
        complete_candidates(bucket, essential);
        for (const auto& candidate : candidates_) {
          offer(static_cast<std::int64_t>(bucket * kBucketDocuments + candidate.document),
                candidate.score);
        }
      }
    }
    std::sort(hits_.begin(), hits_.end(), is_better);
    return std::move(hits_);
  }

 private:
  struct Block {
    std::size_t bucket = 0;
    std::size_t begin = 0;  ///< within the bucket
  };

  /// Score that a document must exceed; documents ascend, so an equal one comes too late.
  [[nodiscard]] float bar() const {
    return hits_.size() < query_.limit ? 0.0F : hits_.front().score;
  }

  [[nodiscard]] std::size_t essential_terms() const {
    std::size_t essential = terms_.size();
    while (essential > 0 && rest_[essential - 1] <= bar()) --essential;
    return essential;
  }

  void find_candidates(const Block& block, std::size_t essential) {
    for (std::size_t i = 0; i < essential; ++i) {
      const ScoredTerm& term = terms_[i];
      const PostingsView& postings = term.bucket(block.bucket);
      std::size_t at = cursors_[i];
      // A term that was not essential before may be behind.
      if (at < postings.size() && postings[at].document < block.begin) {
        at = postings.seek(at, static_cast<std::uint16_t>(block.begin));
      }
      for (; at < postings.size(); ++at) {
        const Posting posting = postings[at];
        const std::size_t within = posting.document - block.begin;
        if (within >= kBlock) break;
        scores_.add(within, term.score(posting));
      }
      cursors_[i] = at;
    }
    candidates_.clear();
    const float least = bar() - rest_[essential];
    scores_.drain([&](std::size_t within, float score) {
      if (score > least) {
        candidates_.push_back({static_cast<std::uint16_t>(block.begin + within), score});
      }
    });
  }

  void complete_candidates(std::size_t bucket, std::size_t essential) {
    for (std::size_t i = essential; i < terms_.size() && !candidates_.empty(); ++i) {
      const ScoredTerm& term = terms_[i];
      const PostingsView& postings = term.bucket(bucket);
      const float least = bar() - rest_[i + 1];
      std::size_t kept = 0;
      std::size_t at = cursors_[i];
      for (auto candidate : candidates_) {
        at = postings.seek(at, candidate.document);
        if (at < postings.size() && postings[at].document == candidate.document) {
          candidate.score += term.score(postings[at]);
        }
        if (candidate.score > least) candidates_[kept++] = candidate;
      }
      candidates_.resize(kept);
      cursors_[i] = at;
    }
  }

  void offer(std::int64_t document, float score) {
    if (score <= bar() || (query_.accepts && !query_.accepts(document))) return;
    hits_.push_back({document, score});
    std::push_heap(hits_.begin(), hits_.end(), is_better);
    if (hits_.size() <= query_.limit) return;
    std::pop_heap(hits_.begin(), hits_.end(), is_better);
    hits_.pop_back();
  }

  std::vector<ScoredTerm> terms_;
  const TermQuery& query_;
  std::vector<float> rest_;           ///< [i]: sum of the bounds from term i on
  std::vector<std::size_t> cursors_;  ///< by term, within the bucket at hand
  BlockScores scores_;
  std::vector<Candidate> candidates_;
  std::vector<TermHit> hits_;  ///< a heap with the worst in front
};

}  // namespace

ScoredTerm::ScoredTerm(std::vector<PostingsView> buckets, double rarity, double average_length)
    : buckets_(std::move(buckets)),
      rarity_(rarity),
      average_length_(average_length),
      table_(kTabled * kLengths) {
  for (const auto& bucket : buckets_) holders_ += bucket.size();
  for (std::size_t times = 1; times <= kTabled; ++times) {
    for (std::size_t length = 0; length < kLengths; ++length) {
      table_[(times - 1) * kLengths + length] = static_cast<float>(
          rarity_ * bm25(static_cast<double>(times), static_cast<double>(length), average_length_));
    }
  }
  bound_ = static_cast<float>(rarity_ * bm25(kMostTimes, 0, average_length_));
}

float ScoredTerm::uncommon_score(const Posting& posting) const {
  return static_cast<float>(rarity_ * bm25(posting.times, posting.length, average_length_));
}

std::vector<TermHit> best_documents(std::vector<ScoredTerm> terms, const TermQuery& query) {
  return Search(std::move(terms), query).run();
}

}  // namespace warpmind::knowledge_base
