#pragma once
/// \file
/// MCP's streamable HTTP: messages come as POST requests, answers go back on them.

#include "daemon/http/exchange.h"
#include "daemon/http/mcp_headers.h"
#include "daemon/mcp/mcp_service.h"
#include "daemon/rpc/rpc_service.h"
#include "daemon/transport/connections.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::daemon::http {

/// Does:      both eras. 2026-07-28: each request is a connection of its own that ends with it, and
///            is cancelled by leaving. Older: `initialize` opens a session, named in a header,
///            which is one connection. An answer is JSON unless something was to be said before it.
/// Does not:  know what a message means, but for whom it is; serve anything but MCP.
/// Threads:   io thread only.
class McpEndpoint final : public Connections {
 public:
  /// Runs a task soon, on the io thread, not inside the call.
  using Defer = std::function<void(std::function<void()>)>;

  /// References must outlive it.
  McpEndpoint(mcp::McpService& mcp, RpcService& rpc, Defer defer)
      : mcp_(mcp), rpc_(rpc), defer_(std::move(defer)) {}

  void post(const std::shared_ptr<Exchange>& exchange);
  /// What a session is told beside its requests.
  void get(const std::shared_ptr<Exchange>& exchange);
  /// Ends a session.
  void remove(const std::shared_ptr<Exchange>& exchange);
  /// Forgets sessions that were silent for long, and requests whose late work has ended.
  void sweep(std::chrono::steady_clock::time_point now);

  void send(ConnectionId id, std::string_view line) override;
  void close_after_flush(ConnectionId id) override;
  [[nodiscard]] std::size_t count() const override { return waiting_.size() + sessions_.size(); }

 private:
  using Clock = std::chrono::steady_clock;
  using Key = std::pair<ConnectionId, std::string>;  ///< and id_text() of the request

  struct Waiting {
    std::shared_ptr<Exchange> exchange;
    Accepted accepted;
    std::string progress_token;  ///< JSON text
    std::string new_session;     ///< opened by this request
    bool modern = false;
    bool streaming = false;
  };
  struct Session {
    ConnectionId connection = 0;
    std::string revision;
    Clock::time_point used;
    std::vector<std::shared_ptr<Exchange>> streams;
  };

  void post_modern(const std::shared_ptr<Exchange>& exchange, protocol::Message& message);
  void post_in_session(const std::shared_ptr<Exchange>& exchange, protocol::Message& message);
  void open_session(const std::shared_ptr<Exchange>& exchange, protocol::Message& message);
  void hand_on(ConnectionId connection, protocol::Message& message, Waiting waiting);
  /// Answers with 400 or 404 when there is none.
  Session* session_of(const std::shared_ptr<Exchange>& exchange);
  void end_session(const std::string& name);
  bool make_room();
  [[nodiscard]] bool is_busy(const Session& session) const;
  void answer(const Key& key, std::string_view line);
  void notify(ConnectionId connection, std::string_view line);
  static void tell(Waiting& waiting, std::string_view line);
  void leave(const Key& key);
  void drop_stream(const std::string& session, const Exchange* exchange);

  mcp::McpService& mcp_;
  RpcService& rpc_;
  Defer defer_;
  std::map<Key, Waiting> waiting_;
  std::map<std::string, Session> sessions_;  // by the value of the header
  std::set<ConnectionId> lingering_;         // answered, but work of theirs goes on
  ConnectionId last_ = 0;
};

}  // namespace warpmind::daemon::http
