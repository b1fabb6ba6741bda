#include "knowledge_base/disk_space.h"

#include <cerrno>
#include <cstring>
#include <limits>
#include <string>
#include <sys/statvfs.h>
#include <system_error>

namespace warpmind::knowledge_base {
namespace {

std::string mebibytes(std::int64_t bytes) {
  return std::to_string(bytes / (1024LL * 1024)) + " MiB";
}

}  // namespace

Result<std::int64_t> free_space_at(const std::filesystem::path& path) {
  struct statvfs status {};
  if (::statvfs(path.c_str(), &status) != 0) {
    return fail(Errc::external_failure,
                "cannot see the free space at " + path.string() + ": " + std::strerror(errno));
  }
  const auto blocks = static_cast<std::uint64_t>(status.f_bavail);
  const auto block_bytes = static_cast<std::uint64_t>(status.f_frsize);
  constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (block_bytes != 0 && blocks > kMost / block_bytes) return static_cast<std::int64_t>(kMost);
  return static_cast<std::int64_t>(blocks * block_bytes);
}

Result<void> require_space(const FreeSpace& free_space, const std::filesystem::path& path,
                           std::int64_t bytes, std::int64_t reserve_bytes) {
  WARPMIND_TRY(const auto free, free_space(path));
  if (free - bytes >= reserve_bytes) return {};
  return fail(Errc::unavailable, "disk nearly full: " + mebibytes(free) + " free at " +
                                     path.string() + ", this write needs " + mebibytes(bytes) +
                                     " and the base keeps " + mebibytes(reserve_bytes) +
                                     " in reserve; free some space, or set daemon.state_directory "
                                     "to another disk");
}

std::int64_t size_on_disk(const std::filesystem::path& path) {
  std::int64_t sum = 0;
  std::error_code ec;
  std::filesystem::recursive_directory_iterator entry(path, ec);
  while (!ec && entry != std::filesystem::recursive_directory_iterator()) {
    std::error_code gone;
    if (entry->is_regular_file(gone)) {
      const auto bytes = entry->file_size(gone);
      if (!gone) sum += static_cast<std::int64_t>(bytes);
    }
    entry.increment(ec);
  }
  return sum;
}

}  // namespace warpmind::knowledge_base
