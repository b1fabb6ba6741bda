#include "knowledge_base/staged_restore.h"

#include "base/file.h"
#include "base/log.h"
#include "knowledge_base/base_copy.h"
#include "knowledge_base/fault_points.h"

#include <string>
#include <system_error>

namespace warpmind::knowledge_base {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestPath = 4096;

fs::path ready_file(const StoreLocation& location) { return staging_area(location) / "READY"; }

bool is_there(const fs::path& path) {
  std::error_code ec;
  return fs::exists(fs::symlink_status(path, ec));
}

/// Each part goes in two moves; a part whose copy is gone from the staging area was moved before.
Result<void> exchange(const StoreLocation& location, const fs::path& kept, const char* name) {
  const auto staged = staging_area(location) / name;
  const auto present = location.directory / name;
  if (!is_there(staged)) return {};
  if (is_there(present)) WARPMIND_CHECK(move_durably(present, kept / name));
  fault::reached("restore.moved_away");
  WARPMIND_CHECK(move_durably(staged, present));
  fault::reached("restore.moved_in");
  return {};
}

}  // namespace

fs::path staging_area(const StoreLocation& location) { return location.directory / "restore"; }

fs::path free_name_beside(const StoreLocation& location) {
  for (int n = 1;; ++n) {
    auto path = location.directory;
    path += ".before-restore-" + std::to_string(n);
    if (!is_there(path)) return path;
  }
}

Result<void> stage_restore(const StoreLocation& location, const fs::path& kept) {
  WARPMIND_CHECK(sync_directory(staging_area(location)));
  fault::reached("restore.before_ready");
  WARPMIND_CHECK(write_file_atomic(ready_file(location), kept.string()));
  fault::reached("restore.ready");
  return {};
}

Result<void> finish_staged_restore(const StoreLocation& location) {
  if (!is_there(staging_area(location))) return {};
  if (!is_there(ready_file(location))) return remove_tree(staging_area(location));
  WARPMIND_TRY(const fs::path kept, read_file(ready_file(location), kLongestPath));
  WARPMIND_CHECK(make_private_directory(kept));
  // A cache of the old database must not be taken for one of the new.
  if (is_there(location.index())) WARPMIND_CHECK(move_durably(location.index(), kept / "index"));
  const auto exchanged = exchange(location, kept, "rocksdb");
  if (!exchanged && !is_there(kept / "rocksdb")) {
    // Nothing was moved, and likely never can be (the base is a mount point): the old one stays.
    (void)remove_tree(staging_area(location));
  }
  WARPMIND_CHECK(exchanged);
  WARPMIND_CHECK(exchange(location, kept, "WATERMARK"));
  log::warn("knowledge_base", "restored from a backup", {{"before", kept.string()}});
  return remove_tree(staging_area(location));
}

}  // namespace warpmind::knowledge_base
