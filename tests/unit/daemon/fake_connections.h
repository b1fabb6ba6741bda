#pragma once
/// \file
/// Connections that keep what is sent.

#include "daemon/transport/connections.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace warpmind::daemon {

class FakeConnections final : public Connections {
 public:
  void send(ConnectionId id, std::string_view line) override {
    if (relay != nullptr) return relay->send(id, line);
    sent[id].emplace_back(line);
  }
  void close_after_flush(ConnectionId id) override { closed.insert(id); }
  [[nodiscard]] std::size_t count() const override { return 7; }

  Connections* relay = nullptr;  ///< gets what is sent instead
  std::map<ConnectionId, std::vector<std::string>> sent;
  std::set<ConnectionId> closed;
};

}  // namespace warpmind::daemon
