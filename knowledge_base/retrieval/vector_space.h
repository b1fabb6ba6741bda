#pragma once
/// \file
/// Nearest vectors of one space, by inner product. FAISS stays behind this header.

#include "base/result.h"
#include "knowledge_base/retrieval/catalogue.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

struct ScoredDocument {
  std::int64_t document = 0;
  float score = 0;
  bool operator==(const ScoredDocument&) const = default;
};

/// Vectors by document number. Documents are added in ascending order and never changed; who died
/// is known to the catalogue, and excluded by every search.
///
/// Threads: const functions at the same time; the others alone.
class VectorSpace {
 public:
  /// An exact one.
  explicit VectorSpace(std::size_t dimension);
  /// One of lists, trained on `sample` (row after row). Deterministic. Takes seconds to minutes.
  /// `expected` is about how many vectors it will hold.
  [[nodiscard]] static Result<VectorSpace> trained(std::size_t dimension, std::span<float> sample,
                                                   std::size_t expected);
  /// Vectors of documents, row after row.
  using RowsOf = std::function<Result<std::vector<float>>(std::span<const std::int64_t>)>;
  /// An empty space that fits `documents`: exact for up to `most_exact` of them, else one of lists,
  /// trained on an even sample of them. Errors: those of `rows_of`; external_failure.
  [[nodiscard]] static Result<VectorSpace> made_for(std::span<const std::int64_t> documents,
                                                    std::size_t dimension, std::size_t most_exact,
                                                    const RowsOf& rows_of);
  ~VectorSpace();
  VectorSpace(const VectorSpace&) = delete;
  VectorSpace& operator=(const VectorSpace&) = delete;
  VectorSpace(VectorSpace&&) noexcept;
  VectorSpace& operator=(VectorSpace&&) noexcept;

  /// `vectors` row after row. Documents not above last_document() are ignored.
  [[nodiscard]] Result<void> add(std::span<const std::int64_t> documents,
                                 std::span<const float> vectors);

  struct Query {
    std::span<const float> vector;
    std::size_t most = 100;
    const Catalogue& catalogue;
    const QueryFilter& filter;
  };
  /// Best first; equal scores by document. Errors: external_failure.
  [[nodiscard]] Result<std::vector<ScoredDocument>> search(const Query& query) const;

  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] std::size_t dimension() const;
  [[nodiscard]] std::int64_t last_document() const;
  [[nodiscard]] bool is_exact() const;
  /// Whether it should be made again: an exact one above `most_exact`, one of lists when it grew
  /// far beyond what it was trained for.
  [[nodiscard]] bool is_outgrown(std::size_t most_exact) const;
  /// How many it held, or was to hold, when it was trained.
  [[nodiscard]] std::size_t trained_for() const;
  [[nodiscard]] std::int64_t memory_bytes() const;

  void for_each_document(const std::function<void(std::int64_t document)>& visit) const;
  /// Of FAISS, 1.7.3 = 10703.
  [[nodiscard]] static std::uint32_t library_version();

  /// Hands the bytes of a space of lists to `write`, piece by piece.
  [[nodiscard]] Result<void> save(const std::function<Result<void>(std::string_view)>& write) const;
  /// `bytes` must be what save() wrote: FAISS does not survive damaged ones. Errors: corrupt_data.
  [[nodiscard]] static Result<VectorSpace> load(std::string_view bytes);

 private:
  struct Content;
  explicit VectorSpace(std::unique_ptr<Content> content);
  std::unique_ptr<Content> content_;
};

}  // namespace warpmind::knowledge_base
