#include "knowledge_base/base_copy.h"

#include "base/file.h"
#include "knowledge_base/fault_points.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <limits>
#include <memory>
#include <string>
#include <system_error>
#include <unistd.h>

#include <rocksdb/utilities/checkpoint.h>

namespace warpmind::knowledge_base {

Result<void> sync_directory(const std::filesystem::path& directory) {
  const UniqueFd folder(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder && ::fsync(folder.get()) == 0) return {};
  return fail(Errc::external_failure,
              "cannot sync " + directory.string() + ": " + std::strerror(errno));
}

Result<void> move_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code ec(fault::failure("rename"), std::generic_category());
  if (!ec) std::filesystem::rename(from, to, ec);
  if (ec) {
    return fail(Errc::external_failure,
                "cannot move " + from.string() + " to " + to.string() + ": " + ec.message());
  }
  WARPMIND_CHECK(sync_directory(to.parent_path()));
  return sync_directory(from.parent_path());
}

Result<void> remove_tree(const std::filesystem::path& path) {
  std::error_code ec;
  std::filesystem::remove_all(path, ec);
  if (!ec) return {};
  return fail(Errc::external_failure, "cannot remove " + path.string() + ": " + ec.message());
}

Result<WatermarkRecord> acknowledged_mark(const StoreLocation& location) {
  WARPMIND_TRY(const auto reading, read_watermark(location.watermark()));
  if (reading.newest) return *reading.newest;
  return fail(Errc::unavailable, "what was acknowledged cannot be read from " +
                                     location.watermark().string() + ": such a base is not copied");
}

Result<WatermarkRecord> copy_base(const Database& database, const StoreLocation& location,
                                  const std::filesystem::path& target) {
  std::error_code ec;
  if (std::filesystem::exists(target, ec)) {
    return fail(Errc::conflict, target.string() + " exists; name a folder that does not");
  }
  WARPMIND_TRY(const auto mark, acknowledged_mark(location));
  auto partial = target;
  partial += ".partial";
  WARPMIND_CHECK(remove_tree(partial));
  WARPMIND_CHECK(make_private_directory(partial));
  rocksdb::Checkpoint* raw = nullptr;
  auto status = rocksdb::Checkpoint::Create(&database.raw(), &raw);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(raw);
  // Without a flush: the WAL is copied, so that no writer waits.
  constexpr auto kNeverFlush = std::numeric_limits<std::uint64_t>::max();
  if (status.ok()) {
    status = checkpoint->CreateCheckpoint((partial / "rocksdb").string(), kNeverFlush);
  }
  if (!status.ok()) return fail(to_error(status, "cannot copy the base to " + target.string()));
  fault::reached("copy.database_done");
  WARPMIND_CHECK(write_watermark(partial / "WATERMARK", mark));
  WARPMIND_CHECK(sync_directory(partial));
  fault::reached("copy.before_rename");
  WARPMIND_CHECK(move_durably(partial, target));
  return mark;
}

}  // namespace warpmind::knowledge_base
