#include "daemon/transport/peer_check.h"

#include "base/file.h"

#include <fcntl.h>
#include <string>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// Linux 6.5; older headers lack the name, older kernels refuse the option.
#ifndef SO_PEERPIDFD
#define SO_PEERPIDFD 77
#endif

namespace warpmind::daemon {
namespace {

Result<std::pair<std::uint64_t, std::uint64_t>> namespace_of(int process, const char* link) {
  struct stat status {};
  if (::fstatat(process, link, &status, 0) != 0) {
    return fail(Errc::unavailable, std::string("cannot see /proc/…/") + link);
  }
  return std::pair<std::uint64_t, std::uint64_t>{status.st_dev, status.st_ino};
}

UniqueFd open_process(const std::string& name) {
  return UniqueFd(::open(("/proc/" + name).c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

/// A descriptor of the peer itself, where the kernel offers it: proof that its pid is not reused.
UniqueFd peer_pidfd(int socket) {
  int fd = -1;
  socklen_t length = sizeof(fd);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERPIDFD, &fd, &length) != 0) return {};
  return UniqueFd(fd);
}

bool is_alive(const UniqueFd& pidfd) {
  return ::syscall(SYS_pidfd_send_signal, pidfd.get(), 0, nullptr, 0) == 0;
}

}  // namespace

Result<PeerCheck> PeerCheck::create() {
  const UniqueFd self = open_process("self");
  WARPMIND_TRY(auto user, namespace_of(self.get(), "ns/user"));
  WARPMIND_TRY(auto pid, namespace_of(self.get(), "ns/pid"));
  return PeerCheck(user, pid);
}

Result<void> PeerCheck::admit(int socket) const {
  struct ucred peer {};
  socklen_t length = sizeof(peer);
  if (::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) {
    return fail(Errc::unavailable, "the kernel does not say who connects");
  }
  if (peer.uid != ::geteuid()) {
    return fail(Errc::unavailable, "this daemon serves user id " + std::to_string(::geteuid()) +
                                       " only, not " + std::to_string(peer.uid));
  }
  const UniqueFd pidfd = peer_pidfd(socket);
  const UniqueFd process = open_process(std::to_string(peer.pid));
  auto user = namespace_of(process.get(), "ns/user");
  auto pid = namespace_of(process.get(), "ns/pid");
  if (!user || !pid || (pidfd && !is_alive(pidfd))) {
    return fail(Errc::unavailable, "the connecting process cannot be identified");
  }
  if (*user != user_ || *pid != pid_) {
    return fail(Errc::unavailable,
                "this daemon serves processes of its own user and pid namespace only: not those "
                "of a sandbox or another container");
  }
  return {};
}

}  // namespace warpmind::daemon
