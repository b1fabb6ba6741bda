#include "knowledge_base/retrieval/embedding_records.h"

#include "base/codec/model_json.h"
#include "knowledge_base/key_codec.h"
#include "knowledge_base/record_codec.h"
#include "knowledge_base/retrieval/searched_text.h"
#include "knowledge_base/retrieval/stored_vector.h"
#include "knowledge_base/rocksdb_options.h"
#include "knowledge_base/sealed_json.h"

#include <algorithm>
#include <memory>
#include <span>

namespace warpmind::knowledge_base {
namespace {

constexpr std::size_t kNumberBytes = 4;
/// Pages read ahead while a whole space goes by.
constexpr std::size_t kReadAhead = 1024UL * 1024;

/// The document number at the end of a key of the family. Errors: corrupt_data.
Result<std::int64_t> document_in(std::string_view key, std::size_t prefix) {
  if (key.size() != prefix + kNumberBytes) {
    return fail(Errc::corrupt_data, "a key of the search index has a wrong length");
  }
  std::uint64_t number = 0;
  for (const char c : key.substr(prefix)) number = (number << 8U) | static_cast<unsigned char>(c);
  return static_cast<std::int64_t>(number);
}

std::uint8_t version_of(Space space) {
  switch (space) {
    case Space::text: return kTextVersion;
    case Space::code: return kCodeVersion;
    case Space::profile: return kProfileVersion;
  }
  return 0;
}

/// The embedder changed since the document was indexed. nullopt: it died meanwhile.
Result<std::optional<Vector>> embed_again(const Database& database, Space space,
                                          std::int64_t document) {
  WARPMIND_TRY(const auto entry, read_entry(database, document));
  if (!entry) return std::optional<Vector>();
  WARPMIND_TRY(const auto insight, read_insight(database, insight_id_of(*entry)));
  if (insight.document != document) return std::optional<Vector>();
  return embed(space, insight);
}

Result<void> append_row(const Database& database, VectorRows& rows, Space space,
                        std::int64_t document, std::string_view bytes) {
  const std::size_t dimension = dimension_of(space);
  if (!bytes.empty() && static_cast<std::uint8_t>(bytes.front()) != version_of(space)) {
    WARPMIND_TRY(const auto vector, embed_again(database, space, document));
    if (!vector) return {};
    rows.values.insert(rows.values.end(), vector->begin(), vector->end());
  } else {
    const std::size_t at = rows.values.size();
    rows.values.resize(at + dimension);
    const auto payload = bytes.substr(std::min<std::size_t>(1, bytes.size()));
    WARPMIND_CHECK(decode_halves(payload, std::span(rows.values).subspan(at, dimension)));
  }
  rows.documents.push_back(document);
  return {};
}

/// For what is read once from end to end: it must not push out what searches read.
std::unique_ptr<rocksdb::Iterator> whole_space(const Database& database) {
  auto options = verified_read(nullptr);
  options.readahead_size = kReadAhead;
  options.fill_cache = false;
  return std::unique_ptr<rocksdb::Iterator>(
      database.raw().NewIterator(options, database.column(Family::embeddings)));
}

/// The largest number under `prefix`; 0 without any.
Result<std::int64_t> last_document(rocksdb::Iterator& at, const std::string& prefix) {
  at.SeekForPrev(prefix + std::string(kNumberBytes, '\xff'));
  if (!at.Valid() || !at.key().ToStringView().starts_with(prefix)) return std::int64_t{0};
  return document_in(at.key().ToStringView(), prefix.size());
}

}  // namespace

std::size_t dimension_of(Space space) {
  switch (space) {
    case Space::text: return kTextDimension;
    case Space::code: return kCodeDimension;
    case Space::profile: return kProfileDimension;
  }
  return 0;
}

std::string_view name_of(Space space) {
  switch (space) {
    case Space::text: return "text";
    case Space::code: return "code";
    case Space::profile: return "profile";
  }
  return {};
}

std::string embedder_of(Space space) {
  return std::string(name_of(space)) + "-" + std::to_string(version_of(space));
}

std::optional<Vector> embed(Space space, const Insight& insight) {
  switch (space) {
    case Space::text: return embed_text(searched_text(insight));
    case Space::code:
      if (insight.code_signature.empty()) return std::nullopt;
      return embed_code(insight.code_signature);
    case Space::profile:
      if (insight.profile_signature.empty()) return std::nullopt;
      return embed_profile(insight.profile_signature);
  }
  return std::nullopt;
}

std::string encode_vector(Space space, const Vector& vector) {
  return std::string(1, static_cast<char>(version_of(space))) + encode_halves(vector);
}

bool has_vector(const CatalogueEntry& entry, Space space) {
  if (!entry.exists()) return false;
  switch (space) {
    case Space::text: return true;
    case Space::code: return entry.has_code;
    case Space::profile: return entry.has_profile;
  }
  return false;
}

Result<StoreState> read_state(const Database& database) {
  WARPMIND_TRY(const auto bytes, database.get(Family::meta, state_key()));
  if (!bytes) return fail(Errc::corrupt_data, "the counters of the base are missing");
  return decode_state(*bytes);
}

Result<Catalogue> read_catalogue(const Database& database) {
  const std::string prefix = catalogue_prefix();
  const auto at = whole_space(database);
  Catalogue catalogue;
  WARPMIND_TRY(const std::int64_t last, last_document(*at, prefix));
  catalogue.reserve(static_cast<std::size_t>(last));
  for (at->Seek(prefix); at->Valid(); at->Next()) {
    const auto key = at->key().ToStringView();
    if (!key.starts_with(prefix)) break;
    WARPMIND_TRY(const auto document, document_in(key, prefix.size()));
    WARPMIND_TRY(const auto entry, decode_catalogue_entry(at->value().ToStringView()));
    catalogue.set(document, entry);
  }
  if (!at->status().ok()) return fail(to_error(at->status(), "cannot read the catalogue"));
  return catalogue;
}

Result<std::optional<CatalogueEntry>> read_entry(const Database& database, std::int64_t document) {
  WARPMIND_TRY(const auto bytes, database.get(Family::embeddings, catalogue_key(document)));
  if (!bytes) return std::optional<CatalogueEntry>();
  WARPMIND_TRY(const auto entry, decode_catalogue_entry(*bytes));
  return std::optional<CatalogueEntry>(entry);
}

Result<Insight> read_insight(const Database& database, const InsightId& id) {
  WARPMIND_TRY(const auto bytes, database.get(Family::insights, insight_key(id)));
  if (!bytes) return fail(Errc::not_found, "no insight " + id.str());
  WARPMIND_TRY(const auto json, open_json(*bytes, "insight"));
  return codec::from_json<Insight>(json, "stored insight");
}

Result<VectorRows> read_vectors(const Database& database, Space space, std::int64_t after,
                                std::size_t most) {
  const std::string prefix = vector_prefix(number_of(space));
  const auto at = whole_space(database);
  VectorRows rows;
  for (at->Seek(vector_key(number_of(space), after + 1));
       at->Valid() && rows.documents.size() < most; at->Next()) {
    const auto key = at->key().ToStringView();
    if (!key.starts_with(prefix)) break;
    WARPMIND_TRY(const auto document, document_in(key, prefix.size()));
    WARPMIND_CHECK(append_row(database, rows, space, document, at->value().ToStringView()));
  }
  if (!at->status().ok()) return fail(to_error(at->status(), "cannot read vectors"));
  return rows;
}

Result<VectorRows> read_vectors_of(const Database& database, Space space,
                                   std::span<const std::int64_t> documents) {
  VectorRows rows;
  for (const auto document : documents) {
    WARPMIND_TRY(const auto bytes,
                 database.get(Family::embeddings, vector_key(number_of(space), document)));
    if (bytes) WARPMIND_CHECK(append_row(database, rows, space, document, *bytes));
  }
  return rows;
}

}  // namespace warpmind::knowledge_base
