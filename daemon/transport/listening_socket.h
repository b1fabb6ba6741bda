#pragma once
/// \file
/// The socket that the daemon listens on: made by us in a private directory, or given by systemd.

#include "base/file.h"
#include "base/result.h"
#include "daemon/transport/instance_lock.h"

#include <filesystem>
#include <optional>

namespace warpmind::daemon {

/// A listening stream socket. Removes the socket file when destroyed, if we made it.
class ListeningSocket {
 public:
  /// Makes the directory (0700) where it is missing and refuses one that others can enter; then
  /// binds with mode 0600. A socket file left by a dead daemon is replaced; that is safe because
  /// `<path>.lock` is held from before to the end.
  /// Errors: invalid_argument for the path or the directory; conflict when somebody listens there.
  [[nodiscard]] static Result<ListeningSocket> bind(const std::filesystem::path& path);

  /// The socket that systemd passes (LISTEN_FDS, LISTEN_PID), or nullopt. Clears the variables.
  /// Errors: invalid_argument when what was passed is not one listening Unix stream socket.
  [[nodiscard]] static Result<std::optional<ListeningSocket>> from_systemd();

  ListeningSocket(ListeningSocket&& other) noexcept;
  ListeningSocket& operator=(ListeningSocket&&) = delete;
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;
  ~ListeningSocket();

  [[nodiscard]] int fd() const { return fd_.get(); }
  /// Stops listening and removes the file now.
  void close();

 private:
  ListeningSocket(UniqueFd fd, std::filesystem::path path, std::optional<InstanceLock> lock)
      : fd_(std::move(fd)), path_(std::move(path)), lock_(std::move(lock)) {}

  UniqueFd fd_;
  std::filesystem::path path_;  // empty when given by systemd
  std::optional<InstanceLock> lock_;
};

}  // namespace warpmind::daemon
