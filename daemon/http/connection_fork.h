#pragma once
/// \file
/// Connections of two transports under one set of numbers.

#include "daemon/transport/connections.h"

namespace warpmind::daemon::http {

/// Numbers from here on are HTTP's; the socket's count from 1.
inline constexpr ConnectionId kFirstWebConnection = ConnectionId{1} << 62U;
/// Of these, from here on those of the page's sessions: they are answered by other ways.
inline constexpr ConnectionId kFirstPageConnection = ConnectionId{3} << 61U;

/// Threads: io thread only.
class ConnectionFork final : public Connections {
 public:
  /// `sockets` must outlive it.
  explicit ConnectionFork(Connections& sockets) : sockets_(sockets) {}
  /// Before the first event; `web` must outlive the last one.
  void set_web(Connections& web) { web_ = &web; }

  void send(ConnectionId id, std::string_view line) override {
    if (auto* owner = owner_of(id)) owner->send(id, line);
  }
  void close_after_flush(ConnectionId id) override {
    if (auto* owner = owner_of(id)) owner->close_after_flush(id);
  }
  [[nodiscard]] std::size_t count() const override {
    return sockets_.count() + (web_ == nullptr ? 0 : web_->count());
  }

 private:
  Connections* owner_of(ConnectionId id) { return id < kFirstWebConnection ? &sockets_ : web_; }

  Connections& sockets_;
  Connections* web_ = nullptr;
};

}  // namespace warpmind::daemon::http
