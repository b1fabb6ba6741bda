#pragma once
/// \file
/// Knowledge leaves and enters: packs (JSONL with hashes, optionally signed), Markdown, memories of
/// other programs, and the seed. What comes in is a claim, never local evidence. docs/packs.md.

#include "base/model/packed_skill.h"
#include "base/model/upkeep.h"
#include "base/result.h"

#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

class OpenBase;

struct PackExportOptions {
  std::vector<std::string> spaces = {};    ///< empty = all
  std::vector<std::string> licences = {};  ///< SPDX ids that may leave; empty = all
  bool offered_only = true;                ///< without quarantined, deprecated, retracted ones
  std::filesystem::path private_key = {};  ///< Ed25519, PEM; empty = not signed
  /// Of the person's folder. Those of the base leave with them, unless one of these has the name.
  std::vector<PackedSkill> skills = {};
  bool with_skills = true;
  std::stop_token stop = {};  ///< ends it between two records, as cancelled
};

struct PackImportOptions {
  std::vector<std::filesystem::path> trusted_keys = {};  ///< Ed25519 public keys, PEM
  bool require_signature = false;
  std::string space = "user";  ///< namespace that it goes into; empty = as the pack says
  std::stop_token stop = {};   ///< ends it between two changes, as cancelled
  /// Reads a skill and refuses what is none: this module cannot. Without it none is taken.
  std::function<Result<void>(const PackedSkill& skill)> check_skill = {};
};

/// Threads: any. Paths are the daemon's.
class PackExchange {
 public:
  /// `base` must outlive it.
  explicit PackExchange(OpenBase& base) : base_(base) {}

  /// Errors: conflict when the file exists.
  [[nodiscard]] Result<PackReport> export_pack(const std::filesystem::path& file,
                                               const PackExportOptions& options) const;
  /// Everything is checked before anything is written. Claims that the rules for texts refuse, and
  /// skills that `check_skill` refuses, are left out, counted and noted. A pack of up to 1000
  /// records is one change; a larger one that was interrupted is finished by importing it again.
  /// Errors: invalid_argument for a wrong hash, a bad or missing signature, a newer format, or when
  /// every record is refused; nothing is changed then.
  [[nodiscard]] Result<PackReport> import_pack(const std::filesystem::path& file,
                                               const PackImportOptions& options);
  /// Takes in what another base exported or a copy of its folder holds (opened read-only).
  /// Commutative, associative and idempotent: the claims and attestations held afterwards do not
  /// depend on the order or number of merges. Namespaces stay as they are (`options.space` is not
  /// used). A base that has a claim keeps its own words for it.
  [[nodiscard]] Result<PackReport> merge(const std::filesystem::path& pack_or_base,
                                         const PackImportOptions& options);
  /// One file a technique and an insight, for reading and version control. The folder must be empty
  /// or hold an earlier export.
  [[nodiscard]] Result<PackReport> export_markdown(const std::filesystem::path& directory,
                                                   const PackExportOptions& options) const;

  [[nodiscard]] Result<PackReport> import_kernelblaster(const std::filesystem::path& file,
                                                        const PackImportOptions& options);
  [[nodiscard]] Result<PackReport> import_kernel_tuner(const std::filesystem::path& file,
                                                       const PackImportOptions& options);

  /// Loads the embedded seed when the base has an older one or none. What a user edited stays.
  [[nodiscard]] Result<PackReport> load_seed();

 private:
  OpenBase& base_;
};

}  // namespace warpmind::knowledge_base
