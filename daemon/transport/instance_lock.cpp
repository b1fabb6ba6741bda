#include "daemon/transport/instance_lock.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <unistd.h>

namespace warpmind::daemon {
namespace {

Error refused(const std::filesystem::path& path) {
  return {Errc::external_failure, "cannot lock " + path.string() + ": " + std::strerror(errno)};
}

std::string holder(int fd) {
  std::array<char, 32> text{};
  const ssize_t n = ::pread(fd, text.data(), text.size() - 1, 0);
  std::string pid(text.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  while (!pid.empty() && (pid.back() < '0' || pid.back() > '9')) pid.pop_back();
  return pid.empty() ? "unknown pid" : "pid " + pid;
}

}  // namespace

Result<InstanceLock> InstanceLock::acquire(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return fail(refused(path));
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return fail(refused(path));
    return fail(Errc::conflict, "warpmindd already runs (" + holder(fd.get()) + ", lock " +
                                    path.string() +
                                    "); stop it with `warpmind daemon stop`, or give this one "
                                    "another daemon.state_directory and daemon.socket");
  }
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd.get(), 0) != 0 ||
      ::pwrite(fd.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return fail(refused(path));
  }
  return InstanceLock(std::move(fd));
}

}  // namespace warpmind::daemon
