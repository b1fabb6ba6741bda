#pragma once
/// \file
/// The inverted index in the family terms: words of documents in, documents by BM25 out.

#include "base/result.h"
#include "knowledge_base/change_set.h"
#include "knowledge_base/database.h"
#include "knowledge_base/retrieval/bm25.h"
#include "knowledge_base/retrieval/term_cache.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

/// Adds `document` under each of the words of `text`, without reading; returns its length in
/// tokens. Documents must be added in ascending order, each once: a document that is no longer
/// valid stays, and readers leave it out by their filter. Errors: invalid_argument for a number
/// below 0 or above the 2^32 buckets.
[[nodiscard]] Result<int> index_document(ChangeSet& change, std::int64_t document,
                                         std::string_view text);

/// The same for a caller that has `tokens` = analyse(text) at hand.
[[nodiscard]] Result<int> index_document(ChangeSet& change, std::int64_t document,
                                         const std::vector<std::string>& tokens);

/// Distinct ones of a query; further ones are not looked up.
inline constexpr std::size_t kMostQueryTerms = 48;

struct TermQuery {
  std::string text;       ///< analysed as documents are
  std::size_t limit = 0;  ///< most hits
  CorpusFigures corpus;
  /// Whether a document may be returned: asked only of those that would be. Empty accepts all.
  std::function<bool(std::int64_t document)> accepts = {};
  /// Postings to look at, about: of a query with more, the most frequent words are left out, for
  /// they say least and cost most; the rarest word never is. 0 looks at all.
  std::size_t most_postings = 0;
  /// Of the index that `corpus` describes; null reads everything from the database. Not used with a
  /// snapshot.
  TermCache* cache = nullptr;
  const std::vector<std::string>* tokens = nullptr;  ///< analyse(text), where it is at hand
};

struct TermHit {
  std::int64_t document = 0;
  float score = 0;      ///< BM25
  int least_terms = 0;  ///< at least so many words of the query are in it
  bool operator==(const TermHit&) const = default;
};

/// The best documents for the words of a query, best first; of equal ones the oldest first. Exact
/// within the words that are looked at: what is skipped could not have been among them. `snapshot`
/// may be null. Errors: corrupt_data, external_failure.
[[nodiscard]] Result<std::vector<TermHit>> search_terms(const Database& database,
                                                        const rocksdb::Snapshot* snapshot,
                                                        const TermQuery& query);

}  // namespace warpmind::knowledge_base
