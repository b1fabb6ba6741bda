#pragma once
/// \file
/// Looking after a base: verify, rebuild, back up, restore. docs/storage.md.

#include "base/model/upkeep.h"
#include "base/result.h"

#include <cstdint>
#include <filesystem>
#include <mutex>
#include <stop_token>
#include <vector>

namespace warpmind::knowledge_base {

class OpenBase;
class Retrieval;

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
