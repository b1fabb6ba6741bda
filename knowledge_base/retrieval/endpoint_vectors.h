#pragma once
/// \file
/// The vectors of an embeddings endpoint in memory, and the ranking by them.

#include "base/result.h"
#include "knowledge_base/retrieval/embedder.h"
#include "knowledge_base/retrieval/ranking.h"
#include "knowledge_base/retrieval/vector_space.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <shared_mutex>
#include <span>
#include <vector>

namespace warpmind::knowledge_base {

/// An epoch is the time with one embedder and one numbering of documents: what was begun in an
/// earlier one is not taken in.
/// Threads: all functions from any thread at the same time. Holds no lock while it calls out.
class EndpointVectors {
 public:
  /// Forgets everything and begins the next epoch. Returns its number.
  std::int64_t begin_epoch(std::size_t dimension);
  [[nodiscard]] std::int64_t epoch() const;

  /// Puts `space`, which holds `documents`, in place of what is there.
  void replace(std::int64_t epoch, VectorSpace space, std::span<const std::int64_t> documents);
  /// Adds rows of ascending documents. Returns whether all found a place: a document below one that
  /// is there waits for the next replace(). Errors: external_failure.
  [[nodiscard]] Result<bool> add(std::int64_t epoch, std::span<const std::int64_t> documents,
                                 std::span<const float> values);

  /// The vector of a question, made in `epoch`.
  struct Question {
    Vector vector;
    std::int64_t epoch = 0;
  };
  struct Ranked {
    const RankedList& built_in;
    const Catalogue& catalogue;
    const QueryFilter& filter;
    std::size_t most = 100;
    double near = 1;  ///< EndpointHits::near
  };
  /// The ranking by text: merge_texts(); `built_in` as it is when nothing is known in this epoch.
  [[nodiscard]] Result<RankedList> ranked(const Question& question, const Ranked& by) const;

  /// By document number.
  [[nodiscard]] std::vector<bool> embedded() const;
  /// VectorSpace::is_outgrown(); false without a space.
  [[nodiscard]] bool is_outgrown(std::size_t most_exact) const;

  struct Figures {
    std::int64_t embedded = 0;  ///< documents, dead ones too
    std::size_t dimension = 0;
    std::int64_t memory_bytes = 0;
    bool is_exact = true;
  };
  [[nodiscard]] Figures figures() const;

 private:
  void mark(std::span<const std::int64_t> documents);

  mutable std::shared_mutex lock_;  ///< of all below
  std::int64_t epoch_ = 0;
  std::size_t dimension_ = 0;
  std::optional<VectorSpace> space_;
  std::vector<bool> embedded_;
  std::int64_t count_ = 0;
};

}  // namespace warpmind::knowledge_base
