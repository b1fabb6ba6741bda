#include "daemon/transport/instance_lock.h"

#include "base/process_stat.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

namespace warpmind::daemon {
namespace {

Error refused(const std::filesystem::path& path, int code) {
  return {Errc::external_failure, "cannot lock " + path.string() + ": " + std::strerror(code)};
}

/// What a daemon that is no more may leave to a child that it was starting: until that one becomes
/// its program or sees that its parent is gone, it shares the lock.
constexpr std::chrono::seconds kLeftBehind{5};
constexpr std::chrono::milliseconds kNextTry{10};
constexpr int kLooks = 20;
constexpr std::uint32_t kExiting = 4;  // PF_EXITING, linux/sched.h

/// The pid in the file; 0 = none that can be read.
pid_t holder(int fd) {
  std::array<char, 32> text{};
  const ssize_t n = ::pread(fd, text.data(), text.size() - 1, 0);
  pid_t pid = 0;
  std::from_chars(text.data(), text.data() + std::max<ssize_t>(n, 0), pid);
  return pid;
}

/// Or about to be: ended and not yet reaped, or still letting go of what it has.
bool is_gone(pid_t pid) {
  if (pid <= 0) return false;
  const auto stat = process_stat(pid);
  if (!stat) return ::kill(pid, 0) != 0 && errno == ESRCH;
  return stat->state == 'Z' || stat->state == 'X' || (stat->flags & kExiting) != 0;
}

/// 0, or errno of the failed flock. A holder that lives is looked at more than once: between the
/// arrival of SIGKILL and the end that begins with it nothing shows.
int lock(int fd) {
  const auto until = std::chrono::steady_clock::now() + kLeftBehind;
  int alive = 0;
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int code = errno;
    alive += is_gone(holder(fd)) ? 0 : 1;
    const bool gives_up = alive > kLooks || std::chrono::steady_clock::now() > until;
    if (code != EWOULDBLOCK || gives_up) return code;
    std::this_thread::sleep_for(kNextTry);
  }
  return 0;
}

}  // namespace

Result<InstanceLock> InstanceLock::acquire(const std::filesystem::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!fd) return fail(refused(path, errno));
  if (const int code = lock(fd.get()); code != 0) {
    if (code != EWOULDBLOCK) return fail(refused(path, code));
    const pid_t pid = holder(fd.get());
    return fail(Errc::conflict, "warpmindd already runs (" +
                                    (pid > 0 ? "pid " + std::to_string(pid) : "unknown pid") +
                                    ", lock " + path.string() +
                                    "); stop it with `warpmind daemon stop`, or give this one "
                                    "another daemon.state_directory and daemon.socket");
  }
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd.get(), 0) != 0 ||
      ::pwrite(fd.get(), pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    return fail(refused(path, errno));
  }
  return InstanceLock(std::move(fd));
}

}  // namespace warpmind::daemon
