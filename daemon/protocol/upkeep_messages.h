#pragma once
/// \file
/// Upkeep of the knowledge base and exchange with others (`kb.verify` to `kb.merge`), as values.
/// Names on the wire are the field names. Paths are absolute and the daemon's.

#include "base/model/upkeep.h"
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
  std::vector<BackupInfo> backups;

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
  bool without_skills = false;
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
                   Option{.text = "also quarantined, deprecated and retracted insights, and skills "
                                  "that are not trusted here"});
    field.optional("without_skills", self.without_skills,
                   Option{.text = "leave skills out; builds from before there were any read the "
                                  "pack, too"});
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
// --- Methods

inline constexpr Method<KbVerifyParams, VerifyReport> kKbVerify{
    "kb.verify", "Reads every record and checks it. May take long."};
inline constexpr Method<Empty, RebuildReport> kKbRebuild{
    "kb.rebuild", "Makes everything that is derived again from the truth. May take long."};
inline constexpr Method<KbBackupParams, BackupInfo> kKbBackup{
    "kb.backup", "Backs the base up, incrementally. May take long."};
inline constexpr Method<KbDirectoryParams, KbBackupsResult> kKbBackups{"kb.backups",
                                                                       "The backups of a folder."};
inline constexpr Method<KbRestoreParams, BackupInfo> kKbRestore{
    "kb.restore",
    "Makes a base of a backup, in a new folder or in place of the open one. Error `conflict` "
    "when the folder exists, or when jobs wait or run. May take long."};
inline constexpr Method<KbDirectoryParams, BackupInfo> kKbCheckpoint{
    "kb.checkpoint", "A second base of the same content, in a new folder."};
inline constexpr Method<Empty, KbCompactResult> kKbCompact{"kb.compact",
                                                           "Gives disk space back. May take long."};
inline constexpr Method<KbExportParams, PackReport> kKbExport{
    "kb.export",
    "Writes knowledge to a pack or to Markdown. Error `conflict` when the file exists. May "
    "take long."};
inline constexpr Method<KbImportParams, PackReport> kKbImport{
    "kb.import", "Takes a pack, or the memory of another program, in as claims. May take long."};
inline constexpr Method<KbMergeParams, PackReport> kKbMerge{
    "kb.merge", "Takes in what another base holds. May take long."};

[[nodiscard]] std::vector<MethodSpec> upkeep_methods();

}  // namespace warpmind::daemon::protocol
