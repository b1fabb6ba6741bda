#include "knowledge_base/retrieval/posting_scores.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace warpmind::knowledge_base {
namespace {

/// Whether `a` comes before `b` in the answer.
bool is_better(const TermHit& a, const TermHit& b) {
  return a.score > b.score || (a.score == b.score && a.document < b.document);
}

/// Documents that are scored together: their scores fit the fastest cache.
constexpr std::size_t kBlock = 4096;
/// Of the score that a hit needs, what terms that are only looked up may bring.
constexpr float kLookedUpShare = 0.5F;
static_assert(kBucketDocuments % kBlock == 0);

/// Scores of the documents of one block; 0 for those that were not met.
class BlockScores {
 public:
  void add(std::size_t within, float score) { scores_[within] += score; }

  /// Calls `take(within, score)` for each document above `least` (not below 0), in order, and
  /// forgets all.
  template <class Take>
  void drain(float least, const Take& take) {
    for (std::size_t begin = 0; begin < kBlock; begin += kGroup) {
      if (!any_above(least, begin)) continue;
      for (std::size_t i = begin; i < begin + kGroup; ++i) {
        if (scores_[i] > least) take(i, scores_[i]);
      }
    }
    scores_.fill(0);
  }

 private:
  static constexpr std::size_t kGroup = 32;
  using Lanes [[gnu::vector_size(16)]] = float;

  /// Of one group. Most have none, so it is asked without branches.
  [[nodiscard]] bool any_above(float least, std::size_t begin) const {
    const Lanes bar{least, least, least, least};
    auto above = bar > bar;
    for (std::size_t i = 0; i < kGroup; i += sizeof(Lanes) / sizeof(float)) {
      Lanes scores;
      std::memcpy(&scores, scores_.data() + begin + i, sizeof scores);
      above |= scores > bar;
    }
    return (above[0] | above[1] | above[2] | above[3]) != 0;
  }

  std::array<float, kBlock> scores_{};
};

struct WordMatch {
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

  std::vector<TermHit> best_hits() {
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
    for (auto& hit : hits_) hit.least_terms = least_terms(hit.score);
    return std::move(hits_);
  }

 private:
  struct Block {
    std::size_t bucket = 0;
    std::size_t begin = 0;  ///< within the bucket
  };

  /// Fewer terms than that cannot add up to `score`.
  [[nodiscard]] int least_terms(float score) const {
    // A little less, so that rounding never adds one.
    float missing = score * 0.9999F;
    int count = 0;
    for (const auto& term : terms_) {
      if (missing <= 0) break;
      missing -= term.bound();
      ++count;
    }
    return count;
  }

  /// Score that a document must exceed; documents ascend, so an equal one comes too late.
  [[nodiscard]] float bar() const {
    return hits_.size() < query_.limit ? 0.0F : hits_.front().score;
  }

  /// Some more than must be: adding up postings in order costs less than looking terms up for each
  /// of many candidates, and with every term the candidates become fewer.
  [[nodiscard]] std::size_t essential_terms() const {
    if (rest_.front() <= bar()) return 0;
    std::size_t essential = terms_.size();
    while (essential > 1 && rest_[essential - 1] <= kLookedUpShare * bar()) --essential;
    return essential;
  }

  void find_candidates(const Block& block, std::size_t essential) {
    bool any = false;
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
      any = any || at != cursors_[i];
      cursors_[i] = at;
    }
    candidates_.clear();
    if (!any) return;
    const float least = std::max(0.0F, bar() - rest_[essential]);
    scores_.drain(least, [&](std::size_t within, float score) {
      candidates_.push_back({static_cast<std::uint16_t>(block.begin + within), score});
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
  std::vector<WordMatch> candidates_;
  std::vector<TermHit> hits_;  ///< a heap with the worst in front
};

}  // namespace

UnitScores::UnitScores(double average_length) {
  for (std::size_t times = 1; times <= kTabled; ++times) {
    for (std::size_t length = 0; length < kLengths; ++length) {
      table_.at((times - 1) * kLengths + length) = static_cast<float>(
          bm25(static_cast<double>(times), static_cast<double>(length), average_length));
    }
  }
}

std::vector<TermHit> best_documents(std::vector<ScoredTerm> terms, const TermQuery& query) {
  return Search(std::move(terms), query).best_hits();
}

}  // namespace warpmind::knowledge_base
