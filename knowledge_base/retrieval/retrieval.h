#pragma once
/// \file
/// Finds the insights that apply to a situation: hard filters, three rankings (words, code
/// structure, profile), fusion, value ranking, diversity, token budget. docs/retrieval.md.

#include "base/result.h"
#include "knowledge_base/embedding/embedding_options.h"
#include "knowledge_base/retrieval/query.h"

#include <filesystem>
#include <memory>
#include <vector>

namespace warpmind::knowledge_base {

class EndpointSpace;
class OpenBase;

struct RetrievalOptions {
  bool index_files = true;  ///< write and read snapshots of large spaces in <base>/index
  /// Up to so many vectors of a space every one is compared; above, those of the nearest lists.
  std::int64_t most_exact = 10'000;
  /// A base with fewer insights is indexed so fast that no snapshot is written.
  std::int64_t least_saved = 100'000;
};

/// The search index of one open base: built when made, kept in step with every commit.
/// Threads: all functions from any thread at the same time.
class Retrieval {
 public:
  /// Registers as the observer of `base`, which must outlive it. Reads the catalogue and vectors,
  /// from snapshot files where they match the base, else from the base. With an address in
  /// `embedding`, texts are compared by the vectors of that endpoint too, as soon as it answers.
  /// Errors: corrupt_data; invalid_argument for what is wrong in `embedding`.
  [[nodiscard]] static Result<std::unique_ptr<Retrieval>> open(
      OpenBase& base, const RetrievalOptions& options, const EmbeddingOptions& embedding = {});
  ~Retrieval();
  Retrieval(const Retrieval&) = delete;
  Retrieval& operator=(const Retrieval&) = delete;

  /// May wait for the embeddings endpoint, as long as EmbeddingOptions says; not to be called with
  /// a lock held. Errors: invalid_argument for a limit, budget or probability out of range.
  [[nodiscard]] Result<RetrievalAnswer> search(const InsightQuery& query) const;
  /// The fused ranking alone, without floor, value and diversity: to measure quality and weights.
  /// At most 100 a ranking. Errors: as search().
  [[nodiscard]] Result<std::vector<InsightId>> rank(
      const InsightQuery& query, const RankingWeights& weights = kRankingWeights) const;
  /// Errors: not_found.
  [[nodiscard]] Result<LiftEstimate> lift(const InsightId& id) const;

  /// Writes the snapshot files (large bases; else does nothing).
  [[nodiscard]] Result<void> save() const;
  /// Drops everything in memory and reads the base again (after a restore or rebuild).
  [[nodiscard]] Result<void> reload();

  /// Drops the vectors of the embeddings endpoint, which are made again in the background.
  void embed_again();
  /// Null without one.
  [[nodiscard]] const EndpointSpace* endpoint() const;

  /// Returns when large vector spaces that are being made in the background are ready. Until then
  /// searches go on without them.
  void settle() const;

  [[nodiscard]] IndexFigures figures() const;

 private:
  class Index;
  explicit Retrieval(std::unique_ptr<Index> index);
  std::unique_ptr<Index> index_;
};

}  // namespace warpmind::knowledge_base
