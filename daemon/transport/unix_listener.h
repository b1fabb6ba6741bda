#pragma once
/// \file
/// Accepts clients, checks who they are, and owns their sessions.

#include "daemon/transport/connections.h"
#include "daemon/transport/listening_socket.h"
#include "daemon/transport/peer_check.h"
#include "daemon/transport/session.h"

#include <functional>
#include <memory>
#include <string>

namespace warpmind::daemon {

struct ListenerSettings {
  std::size_t connections = 256;  ///< more get one error line and are closed
  std::string greeting;           ///< first line to every client
  SessionLimits session;
};

/// Threads: io thread only, but for construction before it runs.
class UnixListener final : public Connections {
 public:
  UnixListener(boost::asio::io_context& io, ListeningSocket socket, PeerCheck peers,
               ListenerSettings settings);
  ~UnixListener() override;
  UnixListener(const UnixListener&) = delete;
  UnixListener& operator=(const UnixListener&) = delete;

  /// `events` must outlive the io context's last handler.
  void start(ConnectionEvents& events);
  /// Removes the socket; connected clients stay.
  void stop_accepting();
  /// Sends what is queued, closes every connection, then calls `done`; after two seconds at most.
  void drain(std::function<void()> done);

  void send(ConnectionId id, std::string_view line) override;
  void close_after_flush(ConnectionId id) override;
  [[nodiscard]] std::size_t count() const override;

 private:
  class State;
  std::shared_ptr<State> state_;
};

}  // namespace warpmind::daemon
