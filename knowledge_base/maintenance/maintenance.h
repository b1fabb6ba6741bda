#pragma once
/// \file
/// Looking after a base: verify, rebuild, back up, restore. docs/storage.md.

#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

class OpenBase;
class Retrieval;

struct VerifyReport {
  std::int64_t records = 0;   ///< decoded
  std::int64_t changes = 0;   ///< of the log whose chain was recomputed
  std::int64_t problems = 0;  ///< what does not fit; `notes` has the first 20
  std::vector<std::string> notes;
  double seconds = 0;
  bool operator==(const VerifyReport&) const = default;
};

struct RebuildReport {
  std::int64_t changes = 0;              ///< replayed
  std::int64_t records = 0;              ///< projections written
  bool identical = false;                ///< the same bytes as before
  std::vector<std::string> differences;  ///< families that differ, with counts
  double seconds = 0;
  bool operator==(const RebuildReport&) const = default;
};

struct BackupInfo {
  std::int64_t id = 0;
  std::int64_t sequence = 0;  ///< newest change that is surely in it
  std::string at;             ///< "2026-11-21T20:15:00Z"
  std::int64_t bytes = 0;
  double seconds = 0;
  bool operator==(const BackupInfo&) const = default;
};

/// Threads: any. Long ones run one at a time: a second is refused as unavailable. Readers go on
/// through all of them; writers too, but for a rebuild and the moment of restore_here.
class Maintenance {
 public:
  /// Both must outlive it.
  Maintenance(OpenBase& base, Retrieval& retrieval) : base_(base), retrieval_(retrieval) {}

  /// Decodes every record, follows every reference, recomputes counters and (deep) the whole chain,
  /// checks checksums of files. Changes nothing. Errors: cancelled when `stop` asked for it.
  [[nodiscard]] Result<VerifyReport> verify(bool deep, const std::stop_token& stop = {}) const;
  /// Makes every projection again from the truth, in the order of the log. A crash on the way is
  /// continued at the next opening. Errors: cancelled when `stop` asked for it while nothing was
  /// changed yet; from then on it goes on to its end.
  [[nodiscard]] Result<RebuildReport> rebuild(const std::stop_token& stop = {});
  /// Continues a rebuild that a crash interrupted; nothing when none was. Called at every start.
  [[nodiscard]] Result<void> finish_interrupted();
  /// Incremental, with checksums; keeps the newest `keep`.
  [[nodiscard]] Result<BackupInfo> backup(const std::filesystem::path& directory,
                                          std::int64_t keep);
  [[nodiscard]] Result<std::vector<BackupInfo>> backups(
      const std::filesystem::path& directory) const;
  /// Into a new folder `target` (a base that can be opened), verified before it is there.
  /// `id` 0 = the newest.
  [[nodiscard]] Result<BackupInfo> restore(const std::filesystem::path& directory, std::int64_t id,
                                           const std::filesystem::path& target) const;
  /// In place of the open base, which is kept beside it as <base>.before-restore-<n>.
  [[nodiscard]] Result<BackupInfo> restore_here(const std::filesystem::path& directory,
                                                std::int64_t id);
  /// A second base at `target`, in milliseconds where the file system has hard links.
  [[nodiscard]] Result<BackupInfo> checkpoint(const std::filesystem::path& target) const;
  [[nodiscard]] Result<void> compact();

 private:
  using Turn = std::unique_lock<std::mutex>;
  [[nodiscard]] Result<Turn> take_turn() const;

  OpenBase& base_;
  Retrieval& retrieval_;
  mutable std::mutex busy_;
};

}  // namespace warpmind::knowledge_base
