#pragma once
/// \file
/// MCP on the daemon's own lines, in both its eras: which message is whose, and what it gets.

#include "daemon/mcp/era.h"
#include "daemon/mcp/listeners.h"
#include "daemon/mcp/mcp_options.h"
#include "daemon/mcp/tool_calls.h"
#include "daemon/rpc/dialect.h"
#include "daemon/rpc/rpc_service.h"

#include <set>
#include <string>

namespace warpmind::daemon::mcp {

/// Does:      `server/discover`, `initialize`, tools, resources, prompts, subscriptions, tasks.
/// Does not:  implement any of it: tools and resources ask the daemon's own methods.
/// Threads:   io thread only.
class McpService final : public Dialect {
 public:
  /// References must outlive it. Call RpcService::speak() with it.
  McpService(const Dispatcher& dispatcher, RpcService& rpc, Connections& connections,
             McpOptions options);

  bool take(ConnectionId connection, protocol::Message& message) override;
  [[nodiscard]] bool is_spoken_by(ConnectionId connection) const override;
  void on_event(const JobEvent& event) override;
  void forget(ConnectionId connection) override;
  /// Calls that were answered with a handle are still at work for it.
  [[nodiscard]] bool has_late_work(ConnectionId connection) const {
    return calls_.has_late_work(connection);
  }

 private:
  struct Request {
    ConnectionId connection = 0;
    const protocol::RequestId& id;
    const protocol::Document& params;
    Caller caller;
  };

  void serve(ConnectionId connection, const protocol::Message& message);
  void shake_hands(ConnectionId connection, const protocol::Message& message);
  void take_notification(ConnectionId connection, const protocol::Message& message);
  void dispatch(const std::string& method, const Request& request);
  void list_tools(const Request& request);
  void call_tool(const Request& request);
  void get_prompt(const Request& request);
  void list_resources(const Request& request);
  void read(const Request& request);
  void serve_task(const std::string& method, const Request& request);
  void reply(const Request& request, nlohmann::json result, Caching caching);
  void refuse(ConnectionId connection, const protocol::RequestId& id,
              const protocol::WireError& error);
  /// On a pool thread; the result text is complete.
  void reply_later(const Request& request, Execution where, RpcService::Work work);

  const Dispatcher& dispatcher_;
  RpcService& rpc_;
  Connections& connections_;
  McpOptions options_;
  ToolCalls calls_;
  Listeners listeners_;
  std::set<ConnectionId> speakers_;
  std::set<ConnectionId> shaken_;  // those that sent initialize
};

}  // namespace warpmind::daemon::mcp
