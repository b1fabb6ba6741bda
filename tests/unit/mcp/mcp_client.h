#pragma once
/// \file
/// A client of the MCP side without sockets and threads: a test decides when what happens.

#include "daemon/mcp/mcp_service.h"
#include "daemon/rpc/rpc_service.h"
#include "tests/unit/daemon/fake_connections.h"

#include <chrono>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::mcp {

/// The real rpc and MCP services over handlers that a test adds.
class McpBench {
 public:
  McpBench();

  /// One line from the client; answers wait until run().
  void send(const nlohmann::json& message, ConnectionId connection = 1);
  /// Does what is queued on all threads until nothing is left.
  void run();
  /// Lets every timer of at most this length end.
  void pass(std::chrono::milliseconds time);
  /// The messages sent since the last call.
  std::vector<nlohmann::json> take(ConnectionId connection = 1);
  /// Request of the modern era, run, its only answer.
  nlohmann::json ask(const std::string& method, nlohmann::json params = nlohmann::json::object(),
                     nlohmann::json meta = nlohmann::json::object());
  nlohmann::json call(const std::string& tool, nlohmann::json arguments,
                      nlohmann::json meta = nlohmann::json::object());
  static nlohmann::json modern_meta();

  Dispatcher dispatcher;
  FakeConnections connections;
  std::optional<JobEvent> latest;

 private:
  using Timer = std::pair<std::chrono::milliseconds, std::function<void()>>;

  RpcService::Executors executors();
  McpOptions options();

  std::deque<RpcService::Task> tasks_;
  std::vector<Timer> timers_;
  Subscriptions subscriptions_;

 public:
  RpcService rpc;
  McpService mcp;

 private:
  std::int64_t last_id_ = 100;
};

}  // namespace warpmind::daemon::mcp
