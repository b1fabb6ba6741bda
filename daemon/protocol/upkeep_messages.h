#pragma once
/// \file
/// Upkeep of the knowledge base and exchange with others (`kb.verify` to `kb.merge`), as values.
/// Names on the wire are the field names. Paths are absolute and the daemon's.

#include "daemon/protocol/messages.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

// --- Upkeep ---------------------------------------------------------------------------------

struct KbVerifyParams {
  bool deep = false;

  static void describe(auto& self, auto& field) {
    field.optional("deep", self.deep, "also the whole chain of changes and every file");
  }
};
struct KbVerifyResult {
  std::int64_t records = 0;
  std::int64_t changes = 0;
  std::int64_t problems = 0;
  std::vector<std::string> notes;
  double seconds = 0;

  static void describe(auto& self, auto& field) {
    field.required("records", self.records, "decoded");
    field.required("changes", self.changes, "of the log that were recomputed");
    field.required("problems", self.problems, "what does not fit");
    field.required("notes", self.notes, "the first 20 of them");
    field.required("seconds", self.seconds, "how long it took");
  }
};
struct KbRebuildResult {
  std::int64_t changes = 0;
  std::int64_t records = 0;
  bool identical = false;
  std::vector<std::string> differences;
  double seconds = 0;

  static void describe(auto& self, auto& field) {
    field.required("changes", self.changes, "replayed");
    field.required("records", self.records, "written");
    field.required("identical", self.identical, "the same bytes as before");
    field.required("differences", self.differences, "families that differ, with counts");
    field.required("seconds", self.seconds, "how long it took");
  }
};
struct KbBackup {
  std::int64_t id = 0;
  std::int64_t sequence = 0;
  std::string at;
  std::int64_t bytes = 0;
  double seconds = 0;
  bool operator==(const KbBackup&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id, "number of the backup");
    field.required("sequence", self.sequence, "newest change in it");
    field.required("at", self.at, "`2026-11-21T20:15:00Z`");
    field.required("bytes", self.bytes, "its size");
    field.required("seconds", self.seconds, "how long it took");
  }
};
struct KbBackupParams {
  std::string directory;
  std::optional<std::int64_t> keep;

  static void describe(auto& self, auto& field) {
    field.required("directory", self.directory, "absolute path of the backup folder");
    field.optional("keep", self.keep, "newest backups that stay, 1 to 1000, default 7");
  }
};
struct KbDirectoryParams {  ///< kb.backups, kb.checkpoint
  std::string directory;

  static void describe(auto& self, auto& field) {
    field.required("directory", self.directory, "absolute path");
  }
};
struct KbBackupsResult {
  std::vector<KbBackup> backups;

  static void describe(auto& self, auto& field) {
    field.required("backups", self.backups, "oldest first: `id`, `sequence`, `at`, `bytes`");
  }
};
struct KbRestoreParams {
  std::string directory;
  std::int64_t id = 0;
  std::string target;
  bool replace = false;

  static void describe(auto& self, auto& field) {
    field.required("directory", self.directory, "absolute path of the backup folder");
    field.optional("id", self.id, "number of the backup; default the newest");
    field.optional("target", self.target, "absolute path of a new folder for the base");
    field.optional("replace", self.replace,
                   "instead: in place of the open base, which is kept aside");
  }
};
struct KbCompactResult {
  std::int64_t disk_bytes_before = 0;
  std::int64_t disk_bytes = 0;

  static void describe(auto& self, auto& field) {
    field.required("disk_bytes_before", self.disk_bytes_before, "bytes on disk before");
    field.required("disk_bytes", self.disk_bytes, "bytes on disk now");
  }
};

// --- Exchange -------------------------------------------------------------------------------

struct KbExportParams {
  std::string file;
  std::string format = "pack";
  std::vector<std::string> spaces;
  std::vector<std::string> licences;
  bool all = false;
  std::string key;

  static void describe(auto& self, auto& field) {
    field.required("file", self.file, "absolute path; a folder for `markdown`");
    field.optional("format", self.format, "`pack` (default) or `markdown`");
    field.optional(
        "spaces", self.spaces,
        Option{
            .text = "only these namespaces", .value = "NAME", .flag = "space", .fallback = "all"});
    field.optional("licences", self.licences,
                   Option{.text = "only texts of these SPDX ids",
                          .value = "ID",
                          .flag = "licence",
                          .fallback = "all"});
    field.optional("all", self.all,
                   Option{.text = "also quarantined, deprecated and retracted insights"});
    field.optional("key", self.key,
                   Option{.text = "file with an Ed25519 private key to sign with", .value = "PEM"});
  }
};
struct KbImportParams {
  std::string file;
  std::string format = "pack";
  std::string space = "user";
  std::vector<std::string> trusted_keys;
  bool require_signature = false;

  static void describe(auto& self, auto& field) {
    field.required("file", self.file, "absolute path");
    field.optional("format", self.format, "`pack` (default), `kernelblaster` or `kernel-tuner`");
    field.optional("space", self.space, "namespace it goes into; default `user`");
    field.optional("trusted_keys", self.trusted_keys, "absolute paths of Ed25519 public keys, PEM");
    field.optional("require_signature", self.require_signature,
                   "refuse what no trusted key has signed");
  }
};
struct KbMergeParams {
  std::string path;
  std::string space = "user";
  std::vector<std::string> trusted_keys;
  bool require_signature = false;

  static void describe(auto& self, auto& field) {
    field.required("path", self.path, "absolute path of a pack, or of a copy of a base's folder");
    field.optional("space", self.space, "namespace it goes into; default `user`");
    field.optional("trusted_keys", self.trusted_keys, "absolute paths of Ed25519 public keys, PEM");
    field.optional("require_signature", self.require_signature,
                   "refuse what no trusted key has signed");
  }
};
struct KbPackResult {
  std::string pack;
  std::string origin;
  std::int64_t insights = 0;
  std::int64_t techniques = 0;
  std::int64_t added = 0;
  std::int64_t confirmed = 0;
  std::int64_t unchanged = 0;
  std::int64_t refused = 0;
  bool is_signed = false;
  std::string signer;
  std::vector<std::string> notes;

  static void describe(auto& self, auto& field) {
    field.required("pack", self.pack, "hash of the content");
    field.required("origin", self.origin, "id of the base it came from");
    field.required("insights", self.insights, "read or written");
    field.required("techniques", self.techniques, "read or written");
    field.required("added", self.added, "new here");
    field.required("confirmed", self.confirmed, "known here, attested once more");
    field.required("unchanged", self.unchanged, "known here in every respect");
    field.required("refused", self.refused, "by the rules for claims");
    field.required("is_signed", self.is_signed, "by a valid signature");
    field.required("signer", self.signer, "fingerprint of the key");
    field.required("notes", self.notes, "why something was refused: the first ten");
  }
};

// --- Methods

inline constexpr Method<KbVerifyParams, KbVerifyResult> kKbVerify{
    "kb.verify", "Reads every record and checks it. May take long."};
inline constexpr Method<Empty, KbRebuildResult> kKbRebuild{
    "kb.rebuild", "Makes everything that is derived again from the truth. May take long."};
inline constexpr Method<KbBackupParams, KbBackup> kKbBackup{
    "kb.backup", "Backs the base up, incrementally. May take long."};
inline constexpr Method<KbDirectoryParams, KbBackupsResult> kKbBackups{"kb.backups",
                                                                       "The backups of a folder."};
inline constexpr Method<KbRestoreParams, KbBackup> kKbRestore{
    "kb.restore",
    "Makes a base of a backup, in a new folder or in place of the open one. Error `conflict` "
    "when the folder exists, or when jobs wait or run. May take long."};
inline constexpr Method<KbDirectoryParams, KbBackup> kKbCheckpoint{
    "kb.checkpoint", "A second base of the same content, in a new folder."};
inline constexpr Method<Empty, KbCompactResult> kKbCompact{"kb.compact",
                                                           "Gives disk space back. May take long."};
inline constexpr Method<KbExportParams, KbPackResult> kKbExport{
    "kb.export",
    "Writes knowledge to a pack or to Markdown. Error `conflict` when the file exists. May "
    "take long."};
inline constexpr Method<KbImportParams, KbPackResult> kKbImport{
    "kb.import", "Takes a pack, or the memory of another program, in as claims. May take long."};
inline constexpr Method<KbMergeParams, KbPackResult> kKbMerge{
    "kb.merge", "Takes in what another base holds. May take long."};

[[nodiscard]] std::vector<MethodSpec> upkeep_methods();

}  // namespace warpmind::daemon::protocol
