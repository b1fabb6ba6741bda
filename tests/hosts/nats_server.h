#pragma once
/// \file
/// A real nats-server of a test: on loopback, on a free port, with its files in a fresh folder.

#include "base/file.h"
#include "base/result.h"

#include <memory>
#include <string>
#include <sys/types.h>

namespace warpmind::tests {

/// Killed by the destructor.
class NatsServer {
 public:
  /// Errors: unavailable with the reason to skip, where nats-server is not installed.
  [[nodiscard]] static Result<std::unique_ptr<NatsServer>> start(const std::string& token = "");
  ~NatsServer();
  NatsServer(const NatsServer&) = delete;
  NatsServer& operator=(const NatsServer&) = delete;

  [[nodiscard]] const std::string& url() const { return url_; }
  /// SIGKILL, and waits.
  void kill();
  /// On the same port with the same files.
  [[nodiscard]] Result<void> start_again();
  /// Removes its files: call between kill() and start_again().
  void wipe();

 private:
  NatsServer(ScratchDirectory scratch, std::string token)
      : scratch_(std::move(scratch)), token_(std::move(token)) {}
  Result<void> launch(int port);

  ScratchDirectory scratch_;
  std::string token_;
  std::string url_;
  int port_ = 0;
  pid_t pid_ = -1;
};

}  // namespace warpmind::tests
