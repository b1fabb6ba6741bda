#pragma once
/// \file
/// What looking after a knowledge base, and exchange with others, report.

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind {

struct VerifyReport {
  std::int64_t records = 0;
  std::int64_t changes = 0;
  std::int64_t problems = 0;
  std::vector<std::string> notes;
  double seconds = 0;
  bool operator==(const VerifyReport&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("records", self.records, "decoded");
    field.required("changes", self.changes, "of the log that were recomputed");
    field.required("problems", self.problems, "what does not fit");
    field.required("notes", self.notes, "the first 20 of them");
    field.required("seconds", self.seconds, "how long it took");
  }
};

struct RebuildReport {
  std::int64_t changes = 0;
  std::int64_t records = 0;
  bool identical = false;
  std::vector<std::string> differences;
  double seconds = 0;
  bool operator==(const RebuildReport&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("changes", self.changes, "replayed");
    field.required("records", self.records, "written");
    field.required("identical", self.identical, "the same bytes as before");
    field.required("differences", self.differences, "families that differ, with counts");
    field.required("seconds", self.seconds, "how long it took");
  }
};

struct BackupInfo {
  std::int64_t id = 0;
  std::int64_t sequence = 0;
  std::string at;
  std::int64_t bytes = 0;
  double seconds = 0;
  bool operator==(const BackupInfo&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id, "number of the backup");
    field.required("sequence", self.sequence, "newest change in it");
    field.required("at", self.at, "`2026-11-21T20:15:00Z`");
    field.required("bytes", self.bytes, "its size");
    field.required("seconds", self.seconds, "how long it took");
  }
};

/// What an export wrote, or what an import or a merge took in.
struct PackReport {
  std::string pack;  ///< 16 hex digits
  std::string origin;
  std::int64_t insights = 0;
  std::int64_t techniques = 0;
  std::int64_t skills = 0;
  std::int64_t added = 0;
  std::int64_t confirmed = 0;
  std::int64_t unchanged = 0;
  std::int64_t refused = 0;
  bool is_signed = false;
  std::string signer;
  bool signer_known = false;
  std::vector<std::string> notes;
  bool operator==(const PackReport&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("pack", self.pack, "hash of the content");
    field.required("origin", self.origin, "id of the base it came from");
    field.required("insights", self.insights, "read or written");
    field.required("techniques", self.techniques, "read or written");
    field.required("skills", self.skills, "read or written");
    field.required("added", self.added, "new here");
    field.required("confirmed", self.confirmed, "known here, attested once more");
    field.required("unchanged", self.unchanged, "known here in every respect");
    field.required("refused", self.refused, "by the rules for claims and skills");
    field.required("is_signed", self.is_signed, "by a valid signature");
    field.required("signer", self.signer, "fingerprint of the key");
    field.required("signer_known", self.signer_known, "by one of `trusted_keys`");
    field.required("notes", self.notes, "why something was refused: the first ten");
  }
};

}  // namespace warpmind
