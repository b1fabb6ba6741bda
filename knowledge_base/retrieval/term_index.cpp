#include "knowledge_base/retrieval/term_index.h"

#include "knowledge_base/key_codec.h"
#include "knowledge_base/retrieval/posting_scores.h"
#include "knowledge_base/retrieval/postings.h"
#include "knowledge_base/retrieval/text_analysis.h"
#include "knowledge_base/rocksdb_options.h"

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <set>
#include <tuple>

namespace warpmind::knowledge_base {
namespace {

constexpr std::int64_t kMostBuckets = std::numeric_limits<std::uint32_t>::max();

std::map<std::string, int> counted(const std::vector<std::string>& tokens) {
  std::map<std::string, int> counts;
  for (const auto& token : tokens) ++counts[token];
  return counts;
}

/// The first distinct tokens of a query, in ascending order.
std::vector<std::string> terms_of(const std::vector<std::string>& tokens) {
  std::set<std::string> terms;
  for (const auto& token : tokens) {
    if (terms.size() == kMostQueryTerms) break;
    terms.insert(token);
  }
  return {terms.begin(), terms.end()};
}

/// A term of a query, and what is known of it.
struct AskedTerm {
  std::string term;
  std::shared_ptr<const KnownTerm> known;  ///< from the cache; null when nothing is
  std::size_t valid = 0;                   ///< buckets that `known` still speaks for
  std::vector<std::uint32_t> holders;      ///< by bucket
  /// By bucket; those in `known` are not read.
  std::vector<rocksdb::PinnableSlice> read;

  [[nodiscard]] std::size_t all_holders() const {
    return std::accumulate(holders.begin(), holders.end(), std::size_t{0});
  }
  [[nodiscard]] std::string_view bytes(std::size_t bucket) const {
    if (known && known->has_postings() && bucket < valid) return known->postings[bucket];
    return {read[bucket].data(), read[bucket].size()};
  }
};

/// Reads postings where the cache does not have them, all terms at once.
class TermReader {
 public:
  TermReader(const Database& database, const rocksdb::Snapshot* snapshot, const TermQuery& query)
      : database_(database),
        snapshot_(snapshot),
        newest_(query.corpus.last_document),
        buckets_(static_cast<std::size_t>(bucket_of(newest_) + 1)),
        cache_(snapshot == nullptr ? query.cache : nullptr) {}

  /// `terms` ascend: how many documents hold each of them.
  Result<std::vector<AskedTerm>> look_up(const std::vector<std::string>& terms) {
    std::vector<AskedTerm> asked(terms.size());
    std::vector<Place> missing;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      auto& one = asked[i];
      one.term = terms[i];
      if (cache_ != nullptr) one.known = cache_->find(one.term);
      if (one.known) one.valid = std::min(one.known->valid_buckets(newest_), buckets_);
      one.holders.resize(buckets_);
      one.read.resize(buckets_);
      for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
        if (bucket < one.valid) {
          one.holders[bucket] = one.known->holders[bucket];
        } else {
          missing.push_back({&one, bucket});
        }
      }
    }
    WARPMIND_CHECK(read(missing));
    return asked;
  }

  /// Postings of terms whose number of holders alone was known.
  Result<void> complete(std::vector<AskedTerm>& asked) {
    std::vector<Place> missing;
    for (auto& one : asked) {
      if (!one.known || one.known->has_postings()) continue;
      for (std::size_t bucket = 0; bucket < one.valid; ++bucket) {
        if (one.holders[bucket] > 0) missing.push_back({&one, bucket});
      }
    }
    std::sort(missing.begin(), missing.end(), [](const Place& a, const Place& b) {
      return std::tie(a.term->term, a.bucket) < std::tie(b.term->term, b.bucket);
    });
    return read(missing);
  }

  /// Keeps what was read. `with_postings`: they were looked at.
  void remember(const AskedTerm& one, bool with_postings) const {
    if (cache_ == nullptr) return;
    const bool is_whole = one.known && one.known->last_document == newest_;
    if (is_whole && (one.known->has_postings() || !with_postings)) return;
    auto known = std::make_shared<KnownTerm>();
    known->last_document = newest_;
    known->holders = one.holders;
    // What was looked at before is worth its place although this query leaves it out.
    const bool all_here = with_postings || (one.known && one.known->has_postings());
    if (all_here) {
      known->postings.reserve(buckets_);
      for (std::size_t bucket = 0; bucket < buckets_; ++bucket) {
        known->postings.emplace_back(one.bytes(bucket));
      }
    }
    cache_->put(one.term, std::move(known));
  }

 private:
  struct Place {
    AskedTerm* term = nullptr;
    std::size_t bucket = 0;
  };

  /// `places` ascend by term and bucket.
  Result<void> read(const std::vector<Place>& places) {
    if (places.empty()) return {};
    std::vector<std::string> keys;
    keys.reserve(places.size());
    for (const auto& place : places) {
      keys.push_back(postings_key(place.term->term, static_cast<std::int64_t>(place.bucket)));
    }
    const std::vector<rocksdb::Slice> slices(keys.begin(), keys.end());
    std::vector<rocksdb::Status> statuses(keys.size());
    std::vector<rocksdb::PinnableSlice> values(keys.size());
    database_.raw().MultiGet(verified_read(snapshot_), database_.column(Family::terms), keys.size(),
                             slices.data(), values.data(), statuses.data(), true);
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (statuses[i].IsNotFound()) continue;
      if (!statuses[i].ok()) return fail(to_error(statuses[i], "cannot read from family terms"));
      auto& term = *places[i].term;
      WARPMIND_TRY(const auto view, PostingsView::over({values[i].data(), values[i].size()}));
      term.holders[places[i].bucket] = static_cast<std::uint32_t>(view.size());
      term.read[places[i].bucket] = std::move(values[i]);
    }
    return {};
  }

  const Database& database_;
  const rocksdb::Snapshot* snapshot_;
  const std::int64_t newest_;
  const std::size_t buckets_;
  TermCache* const cache_;
};

/// Puts the rarest terms first; returns how many of them have no more than `most` postings
/// together, at least one.
std::size_t rarest_first(std::vector<AskedTerm>& terms, std::size_t most) {
  std::stable_sort(terms.begin(), terms.end(), [](const AskedTerm& a, const AskedTerm& b) {
    return a.all_holders() < b.all_holders();
  });
  if (most == 0) return terms.size();
  std::size_t sum = 0;
  const auto too_many = std::find_if(terms.begin(), terms.end(), [&](const AskedTerm& term) {
    sum += term.all_holders();
    return sum > most;
  });
  // Terms that are nowhere cost nothing, and are no answer.
  const auto held = std::find_if(terms.begin(), terms.end(),
                                 [](const AskedTerm& term) { return term.all_holders() > 0; });
  const auto kept = std::max(too_many - terms.begin(), held - terms.begin() + 1);
  return std::min(static_cast<std::size_t>(kept), terms.size());
}

Result<ScoredTerm> scored(const AskedTerm& term, const CorpusFigures& corpus,
                          const UnitScores& units) {
  std::vector<PostingsView> postings(term.holders.size());
  for (std::size_t bucket = 0; bucket < postings.size(); ++bucket) {
    WARPMIND_TRY(postings[bucket], PostingsView::over(term.bytes(bucket)));
  }
  const auto holders = static_cast<std::int64_t>(term.all_holders());
  return ScoredTerm(std::move(postings), rarity(corpus.documents, holders), units);
}

}  // namespace

Result<int> index_document(ChangeSet& change, std::int64_t document, std::string_view text) {
  return index_document(change, document, analyse(text));
}

Result<int> index_document(ChangeSet& change, std::int64_t document,
                           const std::vector<std::string>& tokens) {
  if (document < 0 || bucket_of(document) >= kMostBuckets) {
    return fail(Errc::invalid_argument,
                "document number " + std::to_string(document) + " cannot be indexed");
  }
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
  const auto terms = terms_of(query.tokens != nullptr ? *query.tokens : analyse(query.text));
  if (terms.empty() || query.limit == 0 || query.corpus.documents <= 0) {
    return std::vector<TermHit>();
  }
  TermReader reader(database, snapshot, query);
  WARPMIND_TRY(auto asked, reader.look_up(terms));
  const std::size_t kept = rarest_first(asked, query.most_postings);
  for (std::size_t i = kept; i < asked.size(); ++i) reader.remember(asked[i], false);
  asked.resize(kept);
  WARPMIND_CHECK(reader.complete(asked));
  const UnitScores units(query.corpus.average_length);
  std::vector<ScoredTerm> terms_scored;
  terms_scored.reserve(asked.size());
  for (const auto& one : asked) {
    reader.remember(one, true);
    if (one.all_holders() == 0) continue;
    WARPMIND_TRY(auto term, scored(one, query.corpus, units));
    terms_scored.push_back(std::move(term));
  }
  return best_documents(std::move(terms_scored), query);
}

}  // namespace warpmind::knowledge_base
