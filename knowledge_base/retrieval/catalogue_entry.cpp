#include "knowledge_base/retrieval/catalogue_entry.h"

#include "base/text.h"
#include "knowledge_base/retrieval/searched_text.h"
#include "knowledge_base/retrieval/stable_hash.h"
#include "knowledge_base/retrieval/text_analysis.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

namespace warpmind::knowledge_base {
namespace {

constexpr std::uint8_t kVersion = 1;
constexpr std::size_t kIdDigits = 16;

// Flags. On disk: never renumber.
constexpr std::uint8_t kPinned = 1;
constexpr std::uint8_t kHasCode = 2;
constexpr std::uint8_t kHasProfile = 4;

template <class Names>
std::uint64_t bits_of(const Names& names) {
  std::uint64_t bits = 0;
  for (const auto& name : names) bits |= name_bit(name);
  return bits;
}

template <class Enum>
std::uint16_t mask_of(const std::vector<Enum>& values) {
  unsigned mask = 0;
  for (const auto value : values) mask |= 1U << static_cast<unsigned>(value);
  return static_cast<std::uint16_t>(mask);
}

std::uint16_t clamped(std::size_t value) {
  return static_cast<std::uint16_t>(
      std::min<std::size_t>(value, std::numeric_limits<std::uint16_t>::max()));
}

std::uint16_t capability_of(int value) {
  return clamped(static_cast<std::size_t>(std::max(0, value)));
}

Result<std::uint64_t> number_of_id(const InsightId& id) {
  const std::string_view text = id.str();
  if (text.size() == 2 + kIdDigits && text.starts_with("i-")) {
    const auto number = parse_number<std::uint64_t>(text.substr(2), 16);
    if (number && *number != 0) return *number;
  }
  return fail(Errc::invalid_argument,
              "cannot index the insight \"" + id.str() + "\": an id is i- and 16 hex digits");
}

template <class T>
void write(std::string& bytes, T value) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    bytes += static_cast<char>((static_cast<std::uint64_t>(value) >> (8 * i)) & 0xffU);
  }
}

/// Reads fields one after another; the caller has checked the length of the whole.
class FieldReader {
 public:
  explicit FieldReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T next() {
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      value |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[i])) << (8 * i);
    }
    bytes_.remove_prefix(sizeof(T));
    return static_cast<T>(value);
  }

 private:
  std::string_view bytes_;
};

}  // namespace

Result<CatalogueEntry> catalogue_entry_of(const Insight& insight, std::string_view text) {
  return catalogue_entry_of(insight, analyse(text));
}

Result<CatalogueEntry> catalogue_entry_of(const Insight& insight,
                                          const std::vector<std::string>& tokens) {
  CatalogueEntry entry;
  WARPMIND_TRY(entry.id, number_of_id(insight.id));
  const auto& techniques = insight.action.techniques;
  entry.family_bits = bits_of(insight.scope.operator_families);
  entry.contract_bits = bits_of(insight.scope.contracts);
  entry.technique_bits = bits_of(techniques);
  entry.first_technique_hash = techniques.empty() ? 0 : name_hash(techniques.front());
  entry.device_hash = name_hash(insight.scope.device);
  entry.space_hash = name_hash(insight.space);
  entry.source_hash = name_hash(insight.provenance.source);
  entry.simhash = simhash_of(tokens);
  entry.utility_mean = static_cast<float>(insight.utility.mean);
  entry.utility_deviation = static_cast<float>(insight.utility.deviation);
  entry.observations = static_cast<std::uint32_t>(std::clamp<std::int64_t>(
      insight.utility.observations, 0, std::numeric_limits<std::uint32_t>::max()));
  entry.dtype_bits = mask_of(insight.scope.dtypes);
  entry.bottleneck_bits = mask_of(insight.scope.bottlenecks);
  entry.capability_min = capability_of(insight.scope.capability_min);
  entry.capability_max = capability_of(insight.scope.capability_max);
  entry.text_length = clamped(insight.claim.size() + insight.action.parameters.size());
  entry.tokens = clamped(tokens.size());
  entry.kind = insight.kind;
  entry.state = insight.state;
  entry.trust = insight.trust;
  entry.pinned = insight.pinned;
  entry.has_code = !insight.code_signature.empty();
  entry.has_profile = !insight.profile_signature.empty();
  return entry;
}

std::string encode_catalogue_entry(const CatalogueEntry& entry) {
  std::string bytes(1, static_cast<char>(kVersion));
  bytes.reserve(kCatalogueEntryBytes);
  for (const std::uint64_t field :
       {entry.id, entry.family_bits, entry.contract_bits, entry.technique_bits,
        entry.first_technique_hash, entry.device_hash, entry.space_hash, entry.source_hash,
        entry.simhash}) {
    write(bytes, field);
  }
  write(bytes, std::bit_cast<std::uint32_t>(entry.utility_mean));
  write(bytes, std::bit_cast<std::uint32_t>(entry.utility_deviation));
  write(bytes, entry.observations);
  for (const std::uint16_t field : {entry.dtype_bits, entry.bottleneck_bits, entry.capability_min,
                                    entry.capability_max, entry.text_length, entry.tokens}) {
    write(bytes, field);
  }
  write(bytes, static_cast<std::uint8_t>(entry.kind));
  write(bytes, static_cast<std::uint8_t>(entry.state));
  write(bytes, static_cast<std::uint8_t>(entry.trust));
  write(bytes,
        static_cast<std::uint8_t>((entry.pinned ? kPinned : 0U) | (entry.has_code ? kHasCode : 0U) |
                                  (entry.has_profile ? kHasProfile : 0U)));
  return bytes;
}

Result<CatalogueEntry> decode_catalogue_entry(std::string_view bytes) {
  if (!bytes.empty() && static_cast<std::uint8_t>(bytes.front()) > kVersion) {
    return fail(Errc::corrupt_data,
                "an entry of the search catalogue was written by a newer build of warpmind");
  }
  if (bytes.size() != kCatalogueEntryBytes ||
      static_cast<std::uint8_t>(bytes.front()) != kVersion) {
    return fail(Errc::corrupt_data,
                "an entry of the search catalogue is damaged; run `kb rebuild`");
  }
  FieldReader fields(bytes.substr(1));
  CatalogueEntry entry;
  for (auto* field : {&entry.id, &entry.family_bits, &entry.contract_bits, &entry.technique_bits,
                      &entry.first_technique_hash, &entry.device_hash, &entry.space_hash,
                      &entry.source_hash, &entry.simhash}) {
    *field = fields.next<std::uint64_t>();
  }
  entry.utility_mean = std::bit_cast<float>(fields.next<std::uint32_t>());
  entry.utility_deviation = std::bit_cast<float>(fields.next<std::uint32_t>());
  entry.observations = fields.next<std::uint32_t>();
  for (auto* field : {&entry.dtype_bits, &entry.bottleneck_bits, &entry.capability_min,
                      &entry.capability_max, &entry.text_length, &entry.tokens}) {
    *field = fields.next<std::uint16_t>();
  }
  entry.kind = static_cast<InsightKind>(fields.next<std::uint8_t>());
  entry.state = static_cast<InsightState>(fields.next<std::uint8_t>());
  entry.trust = static_cast<Trust>(fields.next<std::uint8_t>());
  const auto flags = fields.next<std::uint8_t>();
  entry.pinned = (flags & kPinned) != 0;
  entry.has_code = (flags & kHasCode) != 0;
  entry.has_profile = (flags & kHasProfile) != 0;
  const bool known = name_of(entry.kind) != "?" && name_of(entry.state) != "?" &&
                     name_of(entry.trust) != "?" && entry.exists();
  if (!known) {
    return fail(Errc::corrupt_data,
                "an entry of the search catalogue is damaged; run `kb rebuild`");
  }
  return entry;
}

InsightId insight_id_of(const CatalogueEntry& entry) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "i-";
  for (std::size_t i = kIdDigits; i > 0; --i) text += kDigits[(entry.id >> (4 * (i - 1))) & 15U];
  return InsightId(std::move(text));
}

}  // namespace warpmind::knowledge_base
