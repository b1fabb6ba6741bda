#pragma once
/// \file
/// Skills of others: text as it travels in packs and lies in the base, from which nothing was read
/// yet. docs/skills.md says what is read from it.

#include "base/model/insight.h"

#include <cstdint>
#include <map>
#include <string>

namespace warpmind {

struct PackedSkill {
  std::string name;
  std::string licence;                       ///< SPDX, as skill.toml says it
  std::map<std::string, std::string> files;  ///< text by name: "skill.toml", "tests/odd.cu"
  bool operator==(const PackedSkill&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name);
    field.required("licence", self.licence);
    field.required("files", self.files);
  }
};

/// A skill that came with a pack. It is known by name and source.
struct StoredSkill {
  PackedSkill skill;
  std::string source;         ///< "pack:<name>"
  std::string origin;         ///< id of the base that exported the pack
  std::string signer;         ///< fingerprint of the key; empty = not signed
  bool signer_known = false;  ///< the importer gave that key as a trusted one
  std::int64_t sequence = 0;  ///< change that brought it
  std::string checked_on;     ///< device of the last check here; empty = none, or it failed
  std::string vouched_by;     ///< "user:alice"; empty = nobody
  std::string reason;         ///< of who vouched
  bool quarantined = false;   ///< its source is; not kept with it
  bool operator==(const StoredSkill&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("skill", self.skill);
    field.required("source", self.source);
    field.required("origin", self.origin);
    field.required("signer", self.signer);
    field.required("signer_known", self.signer_known);
    field.required("sequence", self.sequence);
    field.optional("checked_on", self.checked_on);
    field.optional("vouched_by", self.vouched_by);
    field.optional("reason", self.reason);
  }
};

/// T0 as it came, T1 once a check here passed, T4 when somebody vouches for it.
[[nodiscard]] inline Trust trust_of(const StoredSkill& stored) {
  if (stored.quarantined) return Trust::t0;
  if (!stored.vouched_by.empty()) return Trust::t4;
  return stored.checked_on.empty() ? Trust::t0 : Trust::t1;
}

/// Whether episodes may use it.
[[nodiscard]] inline bool is_used(const StoredSkill& stored) {
  return trust_of(stored) != Trust::t0;
}

/// Which of two of one name is chosen: one in use, then the newer.
[[nodiscard]] inline bool is_chosen_before(const StoredSkill& a, const StoredSkill& b) {
  if (is_used(a) != is_used(b)) return is_used(a);
  if (a.sequence != b.sequence) return a.sequence > b.sequence;
  return a.source < b.source;
}

}  // namespace warpmind
