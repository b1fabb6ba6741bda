#pragma once
/// \file
/// The commands `kb …` as values.

#include "daemon/protocol/knowledge_messages.h"
#include "daemon/protocol/upkeep_messages.h"

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace warpmind::clients {

struct KbStatsOptions {};
/// The parameters, with what is still to be read or made out.
struct KbSearchOptions : daemon::protocol::KbSearchParams {
  std::vector<std::string> words;    ///< of `text`
  std::vector<std::string> allowed;  ///< `contracts`, where any are given
  std::string compute_capability;    ///< "90", "9.0" or "sm_90"
  std::string kernel_file;           ///< whose text is `kernel`
};
struct KbShowOptions {
  std::string id;
};
struct KbWhyOptions {
  std::string id;
};
struct KbHistoryOptions {
  std::string id;
  bool blame = false;
  std::optional<std::int64_t> as_of;
};

/// What `add` and `edit` take. Empty = not given; the word "any" empties a list or a bound.
struct ClaimFlags {
  std::optional<std::string> claim;
  std::optional<std::string> mechanism;
  std::optional<std::string> parameters;
  std::vector<std::string> operator_families;
  std::vector<std::string> dtypes;
  std::vector<std::string> bottlenecks;
  std::vector<std::string> contracts;
  std::string device;
  std::string capability;  ///< "90", "80-90", "80+"
  std::string space;
  std::string reason;
};
struct KbAddOptions {
  ClaimFlags flags;
  std::string kind;
  std::vector<std::string> techniques;
  std::string licence;
  std::string model;
  std::string file;  ///< JSON with the parameters of kb.add; "-" = standard input
};
struct KbEditOptions {
  std::string id;
  ClaimFlags flags;
};
struct KbChangeOptions {
  std::string command;  ///< "retire", "pin", …
  std::string id;
  std::string reason;
};
struct KbSupersedeOptions {
  std::string id;
  std::string by;
  std::string reason;
};
struct KbUndoOptions {
  std::string id;
  std::optional<std::int64_t> change;
  std::string reason;
};
struct KbSourcesOptions {
  std::string quarantine;
  std::string release;
  std::string reason;
};

struct KbTechniquesOptions {
  std::string name;
  std::string file;  ///< JSON of a technique to put; "-" = standard input
  std::string reason;
};
struct KbFactsOptions {
  std::string subject;
};
struct KbGraphOptions : daemon::protocol::KbGraphParams {
  std::string export_file;
  std::string import_file;
};
struct KbClustersOptions {};
struct KbCalibrationOptions {
  std::string provider;
};

struct KbVerifyOptions {
  bool deep = false;
};
struct KbRebuildOptions {};
struct KbBackupOptions {
  std::string directory;
  std::optional<std::int64_t> keep;
};
struct KbBackupsOptions {
  std::string directory;
};
struct KbRestoreOptions {
  std::string directory;
  std::optional<std::int64_t> id;
  std::string into;
  bool replace = false;
  bool yes = false;
};
struct KbCheckpointOptions {
  std::string directory;
};
struct KbCompactOptions {};

struct KbExportOptions : daemon::protocol::KbExportParams {
  bool markdown = false;
};
struct PackFlags {
  std::string space;
  std::vector<std::string> trusted_keys;
  bool require_signature = false;
};
struct KbImportOptions {
  std::vector<std::string> words;  ///< [kernelblaster|kernel-tuner] FILE
  PackFlags flags;
};
struct KbMergeOptions {
  std::string path;
  PackFlags flags;
};

using KnowledgeOptions =
    std::variant<KbStatsOptions, KbSearchOptions, KbShowOptions, KbWhyOptions, KbHistoryOptions,
                 KbAddOptions, KbEditOptions, KbChangeOptions, KbSupersedeOptions, KbUndoOptions,
                 KbSourcesOptions, KbTechniquesOptions, KbFactsOptions, KbGraphOptions,
                 KbClustersOptions, KbCalibrationOptions, KbVerifyOptions, KbRebuildOptions,
                 KbBackupOptions, KbBackupsOptions, KbRestoreOptions, KbCheckpointOptions,
                 KbCompactOptions, KbExportOptions, KbImportOptions, KbMergeOptions>;

}  // namespace warpmind::clients
