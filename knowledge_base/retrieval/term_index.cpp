#include "knowledge_base/retrieval/term_index.h"

#include "knowledge_base/key_codec.h"
#include "knowledge_base/retrieval/posting_scores.h"
#include "knowledge_base/retrieval/postings.h"
#include "knowledge_base/retrieval/text_analysis.h"
#include "knowledge_base/rocksdb_options.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

namespace warpmind::knowledge_base {
namespace {

constexpr std::int64_t kMostBuckets = std::numeric_limits<std::uint32_t>::max();

std::map<std::string, int> counted(const std::vector<std::string>& tokens) {
  std::map<std::string, int> counts;
  for (const auto& token : tokens) ++counts[token];
  return counts;
}

/// The first distinct tokens of a query, in ascending order.
std::vector<std::string> terms_of(std::string_view text) {
  std::set<std::string> terms;
  for (auto& token : analyse(text)) {
    if (terms.size() == kMostQueryTerms) break;
    terms.insert(std::move(token));
  }
  return {terms.begin(), terms.end()};
}

/// Everything that is read for a query: postings by term and bucket, pinned where they lie.
class TermReader {
 public:
  TermReader(const Database& database, const rocksdb::Snapshot* snapshot)
      : database_(database), snapshot_(snapshot) {}

  /// `terms` ascend. Position of the postings: term * buckets + bucket.
  Result<void> read(const std::vector<std::string>& terms, std::size_t buckets) {
    const std::size_t count = terms.size() * buckets;
    std::vector<std::string> keys;
    keys.reserve(count);
    for (const auto& term : terms) {
      for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        keys.push_back(postings_key(term, static_cast<std::int64_t>(bucket)));
      }
    }
    const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::Status> statuses(count);
    values_ = std::vector<rocksdb::PinnableSlice>(count);
    database_.raw().MultiGet(verified_read(snapshot_), database_.column(Family::terms), count,
                             slices.data(), values_.data(), statuses.data(), true);
    for (const auto& status : statuses) {
      if (!status.ok() && !status.IsNotFound()) {
        return fail(to_error(status, "cannot read from family terms"));
      }
    }
    return {};
  }

  [[nodiscard]] Result<PostingsView> postings(std::size_t at) const {
    return PostingsView::over({values_[at].data(), values_[at].size()});
  }

 private:
  const Database& database_;
  const rocksdb::Snapshot* snapshot_;
  std::vector<rocksdb::PinnableSlice> values_;
};

/// What the postings of all buckets say of one term.
Result<ScoredTerm> make_term(const TermReader& reader, std::size_t term, std::size_t buckets,
                             const CorpusFigures& corpus) {
  std::vector<PostingsView> postings(buckets);
  std::size_t holders = 0;
  for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
    WARPMIND_TRY(postings[bucket], reader.postings(term * buckets + bucket));
    holders += postings[bucket].size();
  }
  return ScoredTerm(std::move(postings),
                    rarity(corpus.documents, static_cast<std::int64_t>(holders)),
                    corpus.average_length);
}

/// The rarest terms whose postings together are not above `most`; at least one.
void keep_rarest(std::vector<ScoredTerm>& terms, std::size_t most) {
  std::stable_sort(terms.begin(), terms.end(), [](const ScoredTerm& a, const ScoredTerm& b) {
    return a.holders() < b.holders();
  });
  std::size_t sum = 0;
  const auto too_many = std::find_if(terms.begin(), terms.end(), [&](const ScoredTerm& term) {
    sum += term.holders();
    return sum > most;
  });
  const auto kept = std::max<std::ptrdiff_t>(too_many - terms.begin(), 1);
  if (std::ssize(terms) > kept) terms.erase(terms.begin() + kept, terms.end());
}

}  // namespace

Result<int> index_document(ChangeSet& change, std::int64_t document, std::string_view text) {
  if (document < 0 || bucket_of(document) >= kMostBuckets) {
    return fail(Errc::invalid_argument,
                "document number " + std::to_string(document) + " cannot be indexed");
  }
  const auto tokens = analyse(text);
  Posting posting;
  posting.document = static_cast<std::uint16_t>(document % std::int64_t{kBucketDocuments});
  posting.length = static_cast<std::uint8_t>(std::max<std::size_t>(tokens.size(), 1));
  for (const auto& [term, times] : counted(tokens)) {
    posting.times = static_cast<std::uint8_t>(times);
    std::string bytes;
    append_posting(bytes, posting);
    change.append(Family::terms, postings_key(term, bucket_of(document)), bytes);
  }
  return static_cast<int>(tokens.size());
}

Result<std::vector<TermHit>> search_terms(const Database& database,
                                          const rocksdb::Snapshot* snapshot,
                                          const TermQuery& query) {
  const auto terms = terms_of(query.text);
  if (terms.empty() || query.limit == 0 || query.corpus.documents <= 0) {
    return std::vector<TermHit>();
  }
  const auto buckets = static_cast<std::size_t>(bucket_of(query.corpus.last_document) + 1);
  TermReader reader(database, snapshot);
  WARPMIND_CHECK(reader.read(terms, buckets));
  std::vector<ScoredTerm> scored;
  scored.reserve(terms.size());
  for (std::size_t i = 0; i < terms.size(); ++i) {
    WARPMIND_TRY(auto term, make_term(reader, i, buckets, query.corpus));
    if (!term.empty()) scored.push_back(std::move(term));
  }
  if (query.most_postings > 0) keep_rarest(scored, query.most_postings);
  return best_documents(std::move(scored), query);
}

}  // namespace warpmind::knowledge_base
