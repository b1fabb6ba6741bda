#include "daemon/transport/listening_socket.h"

#include "base/text.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr int kFirstPassedFd = 3;  // SD_LISTEN_FDS_START
constexpr int kBacklog = 512;

Error system_error(const std::string& what) {
  return {Errc::external_failure, what + ": " + std::strerror(errno)};
}

Result<void> check_not_symlink(const std::filesystem::path& path) {
  std::error_code ec;
  if (!std::filesystem::is_symlink(std::filesystem::symlink_status(path, ec))) return {};
  return fail(Errc::invalid_argument, path.string() +
                                          " is a symbolic link; the socket's directory and its "
                                          "parent must be real directories: set daemon.socket");
}

/// Who can write to the parent can put a directory of his own in the place of ours, and be taken
/// for the daemon. A sticky one keeps names with their owners; a group of our own has no others.
Result<void> check_not_replaceable(const std::filesystem::path& directory) {
  const auto parent = directory.parent_path();
  struct stat status {};
  if (::lstat(parent.c_str(), &status) != 0) {
    return fail(system_error("cannot look at " + parent.string()));
  }
  const bool by_group = (status.st_mode & S_IWGRP) != 0 && status.st_gid != ::getegid();
  const bool by_all = (status.st_mode & S_IWOTH) != 0;
  if ((status.st_mode & S_ISVTX) != 0 || (!by_group && !by_all)) return {};
  return fail(Errc::invalid_argument, "other users can replace the socket's directory " +
                                          directory.string() + "; run: chmod go-w " +
                                          parent.string());
}

Result<void> check_private(const std::filesystem::path& directory) {
  WARPMIND_CHECK(check_not_symlink(directory));
  WARPMIND_CHECK(check_not_symlink(directory.parent_path()));
  WARPMIND_CHECK(check_not_replaceable(directory));
  struct stat status {};
  if (::lstat(directory.c_str(), &status) != 0) {
    return fail(system_error("cannot look at " + directory.string()));
  }
  if (!S_ISDIR(status.st_mode)) {
    return fail(Errc::invalid_argument, directory.string() + " is not a directory");
  }
  if (status.st_uid != ::geteuid()) {
    return fail(Errc::invalid_argument, "the socket's directory " + directory.string() +
                                            " belongs to another user; set daemon.socket to a "
                                            "path in a directory of your own");
  }
  if ((status.st_mode & 077U) != 0) {
    return fail(Errc::invalid_argument, "other users can enter the socket's directory " +
                                            directory.string() + "; run: chmod 700 " +
                                            directory.string());
  }
  return {};
}

Result<sockaddr_un> address_of(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string text = path.string();
  if (text.size() >= sizeof(address.sun_path)) {
    return fail(Errc::invalid_argument, "the socket path " + text + " has " +
                                            std::to_string(text.size()) +
                                            " bytes; at most 107 are possible: set daemon.socket "
                                            "to a shorter path");
  }
  std::memcpy(static_cast<char*>(address.sun_path), text.data(), text.size());
  return address;
}

const sockaddr* generic(const sockaddr_un& address) {
  return reinterpret_cast<const sockaddr*>(&address);
}

/// Removes a socket file that nobody listens on.
Result<void> remove_stale(const std::filesystem::path& path, const sockaddr_un& address) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) != 0) return {};
  if (!S_ISSOCK(status.st_mode)) {
    return fail(Errc::conflict, path.string() +
                                    " exists and is not a socket; move it away or set "
                                    "daemon.socket");
  }
  const UniqueFd probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe) return fail(system_error("cannot make a socket"));
  if (::connect(probe.get(), generic(address), sizeof(address)) == 0 || errno != ECONNREFUSED) {
    return fail(Errc::conflict,
                "another process listens on " + path.string() + "; stop it or set daemon.socket");
  }
  if (::unlink(path.c_str()) != 0) return fail(system_error("cannot remove " + path.string()));
  return {};
}

std::optional<int> environment_number(const char* name) {
  const char* text = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): before any thread
  if (text == nullptr) return std::nullopt;
  return parse_number<int>(text);
}

}  // namespace

Result<ListeningSocket> ListeningSocket::bind(const std::filesystem::path& path) {
  if (!path.is_absolute()) {
    return fail(Errc::invalid_argument,
                "daemon.socket must be an absolute path, not '" + path.string() + "'");
  }
  WARPMIND_TRY(const sockaddr_un address, address_of(path));
  WARPMIND_CHECK(make_private_directory(path.parent_path()));
  WARPMIND_CHECK(check_private(path.parent_path()));
  WARPMIND_TRY(auto lock, InstanceLock::acquire(path.string() + ".lock"));
  WARPMIND_CHECK(remove_stale(path, address));

  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!fd) return fail(system_error("cannot make a socket"));
  const mode_t before = ::umask(0177);
  const int bound = ::bind(fd.get(), generic(address), sizeof(address));
  ::umask(before);
  if (bound != 0) return fail(system_error("cannot bind " + path.string()));
  ListeningSocket socket(std::move(fd), path, std::move(lock));
  if (::listen(socket.fd(), kBacklog) != 0) {
    return fail(system_error("cannot listen on " + path.string()));
  }
  return socket;
}

Result<std::optional<ListeningSocket>> ListeningSocket::from_systemd() {
  const auto pid = environment_number("LISTEN_PID");
  const auto count = environment_number("LISTEN_FDS");
  ::unsetenv("LISTEN_PID");      // NOLINT(concurrency-mt-unsafe): before any thread
  ::unsetenv("LISTEN_FDS");      // NOLINT(concurrency-mt-unsafe)
  ::unsetenv("LISTEN_FDNAMES");  // NOLINT(concurrency-mt-unsafe)
  if (!pid || *pid != ::getpid() || !count || *count == 0) return std::nullopt;
  if (*count != 1) {
    return fail(Errc::invalid_argument, "systemd passed " + std::to_string(*count) +
                                            " sockets; the socket unit must have one "
                                            "ListenStream= line");
  }
  UniqueFd fd(kFirstPassedFd);
  sockaddr_un address{};
  socklen_t length = sizeof(address);
  int listening = 0;
  socklen_t option_length = sizeof(listening);
  const bool is_unix =
      ::getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length) == 0 &&
      address.sun_family == AF_UNIX;
  if (!is_unix ||
      ::getsockopt(fd.get(), SOL_SOCKET, SO_ACCEPTCONN, &listening, &option_length) != 0 ||
      listening == 0) {
    return fail(Errc::invalid_argument,
                "systemd passed something other than a listening Unix socket; use "
                "ListenStream= with a path in the socket unit");
  }
  if (::fcntl(fd.get(), F_SETFD, FD_CLOEXEC) != 0 || ::fcntl(fd.get(), F_SETFL, O_NONBLOCK) != 0) {
    return fail(system_error("cannot configure the passed socket"));
  }
  return std::optional<ListeningSocket>(ListeningSocket(std::move(fd), {}, std::nullopt));
}

ListeningSocket::ListeningSocket(ListeningSocket&& other) noexcept
    : fd_(std::move(other.fd_)),
      path_(std::exchange(other.path_, {})),
      lock_(std::move(other.lock_)) {}

ListeningSocket::~ListeningSocket() { close(); }

void ListeningSocket::close() {
  if (!path_.empty() && fd_) ::unlink(path_.c_str());
  fd_.reset();
}

}  // namespace warpmind::daemon
