#pragma once
/// \file
/// A pack as text: one JSON object a line. First the header, then one record a line with its hash,
/// last the end line with the sum over all before it and, where it is signed, the signature.
/// docs/packs.md describes every member.

#include "base/clock.h"
#include "base/model/insight.h"
#include "base/model/packed_skill.h"
#include "base/model/technique.h"
#include "base/result.h"
#include "knowledge_base/packs/ed25519.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace warpmind::knowledge_base {

inline constexpr std::string_view kPackFormat = "warpmind-pack";
/// The newest that is read. A pack without skills is written as version 1, which every build reads.
inline constexpr std::int64_t kPackVersion = 2;
inline constexpr std::int64_t kSkillsVersion = 2;  ///< the first that has skills

/// What a reader takes. A base that holds more is divided by namespace or licence.
struct PackLimits {
  std::size_t bytes = std::size_t{512} * 1024 * 1024;
  std::size_t records = 250'000;
  std::size_t line_bytes = std::size_t{256} * 1024;
  std::size_t skills = 256;
};

struct PackHeader {
  std::int64_t version = 1;
  std::string origin = {};    ///< id of the base
  std::int64_t sequence = 0;  ///< newest change of that base
  UnixMillis created = {};
  std::int64_t techniques = 0;
  std::int64_t facts = 0;
  std::int64_t insights = 0;
  std::int64_t skills = 0;
  [[nodiscard]] std::int64_t records() const { return techniques + facts + insights + skills; }
  bool operator==(const PackHeader&) const = default;
};

/// A claim as it travels: what it says and what bases attest; never state, evidence or utility.
struct PackedClaim {
  Insight insight;  ///< with its attestations
  /// As it was first said, where a later change of scope or parameters left the id behind.
  std::optional<Insight> first;
  bool operator==(const PackedClaim&) const = default;
};

using PackRecord = std::variant<Technique, Fact, PackedClaim, PackedSkill>;

struct PackEnd {
  std::int64_t records = 0;
  std::string content;  ///< short hash of the hashes of all records, in order: the pack's name
  std::string sum;      ///< hex SHA-256 of every byte before the end line
  std::optional<Signature> signature;
  bool operator==(const PackEnd&) const = default;
};

/// A record and the hash that its line carries.
struct HashedRecord {
  PackRecord record;
  std::string hash;
};

/// Lines, each with its line feed. The hash of a record goes into `hash`.
[[nodiscard]] std::string header_line(const PackHeader& header);
[[nodiscard]] std::string record_line(const PackRecord& record, std::string& hash);
[[nodiscard]] std::string end_line(const PackEnd& end);
/// What a signature is over.
[[nodiscard]] std::string signed_message(std::string_view sum);

/// Lines without their line feed. Errors: invalid_argument, without the number of the line.
[[nodiscard]] Result<PackHeader> parse_header(std::string_view line);
[[nodiscard]] Result<HashedRecord> parse_record(std::string_view line);
[[nodiscard]] Result<PackEnd> parse_end(std::string_view line);

}  // namespace warpmind::knowledge_base
