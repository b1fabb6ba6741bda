#include "knowledge_base/directory_lock.h"

#include "knowledge_base/fault_points.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <unistd.h>

namespace warpmind::knowledge_base {
namespace {

/// Digits at the start of the lock file; other content is none of ours and is not repeated.
std::string holder_of(const std::filesystem::path& file) {
  const auto content = read_file(file, 64);
  if (!content) return "another process";
  const auto digits = content->substr(0, content->find_first_not_of("0123456789"));
  return digits.empty() ? "another process" : "process " + digits;
}

}  // namespace

Result<DirectoryLock> DirectoryLock::acquire(const std::filesystem::path& directory) {
  const auto file = directory / "LOCK.pid";
  UniqueFd fd(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  if (!fd) {
    return fail(Errc::external_failure,
                "cannot open " + file.string() + ": " + std::strerror(errno));
  }
  if (!fault::seeded(SeededBug::lock_ignored) && ::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) {
      return fail(Errc::external_failure,
                  "cannot lock " + file.string() + ": " + std::strerror(errno));
    }
    return fail(Errc::unavailable, "the knowledge base " + directory.string() + " is in use by " +
                                       holder_of(file) +
                                       "; stop that one, or choose another knowledge directory");
  }
  const std::string pid = std::to_string(::getpid()) + "\n";
  // Only for the message above: a lock that cannot name its holder still holds.
  if (::ftruncate(fd.get(), 0) == 0) {
    [[maybe_unused]] const ssize_t written = ::pwrite(fd.get(), pid.data(), pid.size(), 0);
  }
  return DirectoryLock(std::move(fd));
}

}  // namespace warpmind::knowledge_base
