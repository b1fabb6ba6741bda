#pragma once
/// \file
/// Between transport and rpc: connections that attached as editors speak the Language Server
/// Protocol, and what their language server asks goes to rpc like the request of any client.

#include "daemon/lsp/language_server.h"
#include "daemon/transport/connections.h"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

namespace warpmind::daemon::lsp {

/// Does:      pass everything on, but for the connections that attach() named.
/// Does not:  know a method of rpc.
/// Threads:   io thread only.
class LspDoor final : public ConnectionEvents, public Connections {
 public:
  /// `transport` must outlive it.
  LspDoor(Connections& transport, std::string version)
      : transport_(transport), version_(std::move(version)) {}

  /// Once, before the first event. `rpc` must outlive the last one.
  void set_rpc(ConnectionEvents& rpc) { rpc_ = &rpc; }
  /// From the next line on the connection is an editor's.
  void attach(ConnectionId connection);

  // What transport tells.
  void on_line(ConnectionId id, std::string_view line) override;
  void on_input_ended(ConnectionId id) override { rpc_->on_input_ended(id); }
  void on_closed(ConnectionId id) override;
  [[nodiscard]] bool is_waiting(ConnectionId id) const override;

  // What rpc says.
  void send(ConnectionId id, std::string_view line) override;
  void close_after_flush(ConnectionId id) override { transport_.close_after_flush(id); }
  [[nodiscard]] std::size_t count() const override { return transport_.count(); }

 private:
  struct Editor {
    std::unique_ptr<LanguageServer> server;
    std::map<std::int64_t, DaemonReply> asked;  // by the id given to rpc
    std::int64_t last_id = 0;
  };

  void ask(ConnectionId id, std::string_view method, const std::string& params, DaemonReply reply);

  Connections& transport_;
  std::string version_;
  ConnectionEvents* rpc_ = nullptr;
  std::unordered_map<ConnectionId, Editor> editors_;
};

}  // namespace warpmind::daemon::lsp
