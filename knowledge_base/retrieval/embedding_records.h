#pragma once
/// \file
/// The family embeddings: catalogue entries and vectors by document.

#include "base/result.h"
#include "knowledge_base/database.h"
#include "knowledge_base/records.h"
#include "knowledge_base/retrieval/catalogue.h"
#include "knowledge_base/retrieval/embedder.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

/// As in keys.
[[nodiscard]] constexpr std::uint8_t number_of(Space space) {
  return static_cast<std::uint8_t>(space);
}
[[nodiscard]] std::size_t dimension_of(Space space);
[[nodiscard]] std::string_view name_of(Space space);
/// "text-1": vectors of two embedders are never compared.
[[nodiscard]] std::string embedder_of(Space space);

/// nullopt where the insight says nothing in that space.
[[nodiscard]] std::optional<Vector> embed(Space space, const Insight& insight);
/// `[version of the embedder][half precision, little-endian]`.
[[nodiscard]] std::string encode_vector(Space space, const Vector& vector);
/// Whether the document of `entry` has a vector in `space`.
[[nodiscard]] bool has_vector(const CatalogueEntry& entry, Space space);

/// Vectors of one space, row after row.
struct VectorRows {
  std::vector<std::int64_t> documents;
  std::vector<float> values;
};

/// The counters of the base. Errors: corrupt_data, also when they are missing.
[[nodiscard]] Result<StoreState> read_state(const Database& database);
/// Every entry. Errors: corrupt_data.
[[nodiscard]] Result<Catalogue> read_catalogue(const Database& database);
/// nullopt for a document that died or never was. Errors: corrupt_data.
[[nodiscard]] Result<std::optional<CatalogueEntry>> read_entry(const Database& database,
                                                               std::int64_t document);
/// The insight that is the document now. Errors: not_found; corrupt_data.
[[nodiscard]] Result<Insight> read_insight(const Database& database, const InsightId& id);

/// At most `most` vectors of documents above `after`, ascending. Those of another embedder are made
/// again from the insight. Errors: corrupt_data.
[[nodiscard]] Result<VectorRows> read_vectors(const Database& database, Space space,
                                              std::int64_t after, std::size_t most);
/// Those of `documents` that have one. Errors: corrupt_data.
[[nodiscard]] Result<VectorRows> read_vectors_of(const Database& database, Space space,
                                                 std::span<const std::int64_t> documents);

}  // namespace warpmind::knowledge_base
