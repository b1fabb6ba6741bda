#pragma once
/// \file
/// The two sides of the seam between transport (bytes, lines) and rpc (requests).

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace warpmind::daemon {

/// Number of a connection, never used twice in one run of the daemon.
using ConnectionId = std::uint64_t;

/// What rpc may do with connections. Io thread only; unknown ids (gone clients) are ignored.
class Connections {
 public:
  virtual ~Connections() = default;
  /// Queues `line` (with its `\n`). A client with too much unread is dropped instead.
  virtual void send(ConnectionId id, std::string_view line) = 0;
  /// Reads no more, and closes once everything queued has been sent.
  virtual void close_after_flush(ConnectionId id) = 0;
  [[nodiscard]] virtual std::size_t count() const = 0;
};

/// What transport tells rpc. Called on the io thread.
class ConnectionEvents {
 public:
  virtual ~ConnectionEvents() = default;
  /// One line without its `\n`.
  virtual void on_line(ConnectionId id, std::string_view line) = 0;
  /// The client will send no more; it may still read. Whoever gets this closes the connection.
  virtual void on_input_ended(ConnectionId id) = 0;
  /// Last event of a connection.
  virtual void on_closed(ConnectionId id) = 0;
  /// True while the client waits for something: such a connection is never closed as idle.
  [[nodiscard]] virtual bool is_waiting(ConnectionId id) const = 0;
};

}  // namespace warpmind::daemon
