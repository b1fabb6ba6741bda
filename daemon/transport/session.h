#pragma once
/// \file
/// One connection: lines in, lines out, with limits.

#include "base/file.h"
#include "daemon/transport/connections.h"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string_view>

namespace boost::asio {
class io_context;
}

namespace warpmind::daemon {

struct SessionLimits {
  std::size_t message_bytes = std::size_t{16} * 1024 * 1024;  ///< longest line accepted
  std::size_t backlog_bytes =
      std::size_t{8} * 1024 * 1024;                ///< unread output at which a client is dropped
  std::chrono::milliseconds half_message{30'000};  ///< from a line's first byte to its last
  std::chrono::milliseconds idle{600'000};         ///< silence of a client that waits for nothing
};

/// Does:      cut input into lines, write output through one queue, keep its limits.
/// Does not:  know what a line means.
/// Threads:   io thread only.
/// Lifetime:  kept alive by its own coroutine until closed; `events` must outlive it.
class Session {
 public:
  virtual ~Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  virtual void send(std::string_view line) = 0;
  virtual void close_after_flush() = 0;
  virtual void close() = 0;
  /// Closes when a limit of time has passed. Called from time to time.
  virtual void enforce_deadlines(std::chrono::steady_clock::time_point now) = 0;

 protected:
  Session() = default;
};

/// Takes over a connected stream socket and starts to read.
[[nodiscard]] std::shared_ptr<Session> start_session(boost::asio::io_context& io, UniqueFd socket,
                                                     ConnectionId id, const SessionLimits& limits,
                                                     ConnectionEvents& events);

}  // namespace warpmind::daemon
