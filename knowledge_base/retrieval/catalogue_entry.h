#pragma once
/// \file
/// What the search keeps of each insight in memory: all that hard filters and ranking look at. One
/// entry a document, in the family embeddings and in the catalogue; the text is read only of what
/// is returned.

#include "base/model/insight.h"
#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::knowledge_base {

/// Masks have one bit an enumerator, or (families, techniques, contracts) one of 64 by name_bit:
/// they may let a stranger through, never hold a match back; what is returned is checked by name.
/// Zero masks, bounds and hashes set no limit.
struct CatalogueEntry {
  std::uint64_t id = 0;  ///< the 16 hex digits; 0 = no such document
  std::uint64_t family_bits = 0;
  std::uint64_t contract_bits = 0;
  std::uint64_t technique_bits = 0;
  std::uint64_t first_technique_hash = 0;  ///< name_hash
  std::uint64_t device_hash = 0;
  std::uint64_t space_hash = 0;
  std::uint64_t source_hash = 0;  ///< of provenance.source
  std::uint64_t simhash = 0;      ///< of the searched words: near texts differ in few bits
  float utility_mean = 0;
  float utility_deviation = 0;
  std::uint32_t observations = 0;
  std::uint16_t dtype_bits = 0;
  std::uint16_t bottleneck_bits = 0;
  std::uint16_t capability_min = 0;
  std::uint16_t capability_max = 0;
  std::uint16_t text_length = 0;  ///< bytes of claim and parameters
  std::uint16_t tokens = 0;       ///< of the searched text: its length for BM25
  InsightKind kind = InsightKind::positive;
  InsightState state = InsightState::proposed;
  Trust trust = Trust::t0;
  bool pinned = false;
  bool has_code = false;     ///< there is a vector in the space code
  bool has_profile = false;  ///< there is a vector in the space profile

  [[nodiscard]] bool exists() const { return id != 0; }
  bool operator==(const CatalogueEntry&) const = default;
};

/// `text` is searched_text(insight). Errors: invalid_argument for an id that is not "i-" and 16 hex
/// digits.
[[nodiscard]] Result<CatalogueEntry> catalogue_entry_of(const Insight& insight,
                                                        std::string_view text);
/// The same for a caller that has `tokens` = analyse(text) at hand.
[[nodiscard]] Result<CatalogueEntry> catalogue_entry_of(const Insight& insight,
                                                        const std::vector<std::string>& tokens);

/// `[version][fields, little-endian]`, kCatalogueEntryBytes in all.
inline constexpr std::size_t kCatalogueEntryBytes = 1 + 9 * 8 + 3 * 4 + 6 * 2 + 4;
[[nodiscard]] std::string encode_catalogue_entry(const CatalogueEntry& entry);
/// Errors: corrupt_data.
[[nodiscard]] Result<CatalogueEntry> decode_catalogue_entry(std::string_view bytes);

[[nodiscard]] InsightId insight_id_of(const CatalogueEntry& entry);

}  // namespace warpmind::knowledge_base
