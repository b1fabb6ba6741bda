#include "profilers/lab/scratch_root.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace warpmind::profilers {
namespace fs = std::filesystem;
namespace {

constexpr const char* kPrefix = "warpmind-lab";

/// Shared memory, unless it is a container's: 64 MiB, and mounted so that the shared object of a
/// tier B kernel cannot be loaded from it.
bool is_roomy_memory(const char* directory) {
  constexpr std::uint64_t kLeastBytes = std::uint64_t{1} << 30U;
  struct statvfs status {};
  return ::access(directory, W_OK) == 0 && ::statvfs(directory, &status) == 0 &&
         (status.f_flag & ST_NOEXEC) == 0 && status.f_bavail * status.f_frsize >= kLeastBytes;
}

fs::path default_parent() {
  std::error_code ec;
  if (is_roomy_memory("/dev/shm")) return "/dev/shm";
  const fs::path temporary = fs::temp_directory_path(ec);
  return ec ? fs::path("/tmp") : temporary;
}

UniqueFd lock_of(const fs::path& directory) {
  UniqueFd fd(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) fd.reset();
  return fd;
}

void remove_abandoned(const fs::path& parent) {
  std::error_code ec;
  for (const auto& item : fs::directory_iterator(parent, ec)) {
    if (!item.path().filename().string().starts_with(kPrefix)) continue;
    const UniqueFd lock = lock_of(item.path());  // nobody else's directory opens for us
    if (lock) fs::remove_all(item.path(), ec);
  }
}

}  // namespace

Result<ScratchRoot> ScratchRoot::create(const fs::path& parent) {
  const fs::path place = parent.empty() ? default_parent() : parent;
  remove_abandoned(place);
  WARPMIND_TRY(auto directory, ScratchDirectory::create(place, kPrefix));
  auto lock = lock_of(directory.path());
  if (!lock) {
    return fail(Errc::external_failure,
                "cannot lock " + directory.path().string() + ": " + std::strerror(errno));
  }
  return ScratchRoot(std::move(directory), std::move(lock));
}

std::uint64_t ScratchRoot::free_bytes() const {
  std::error_code ec;
  const auto space = fs::space(path(), ec);
  return ec ? 0 : space.available;
}

}  // namespace warpmind::profilers
