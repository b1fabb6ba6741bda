#pragma once
/// \file
/// `subscriptions/listen`: who wants to hear of which runs and tasks.

#include "daemon/mcp/era.h"
#include "daemon/rpc/rpc_service.h"
#include "daemon/scheduler/job_event.h"

#include <map>
#include <set>
#include <string>
#include <utility>

namespace warpmind::daemon::mcp {

/// Threads: io thread only.
class Listeners {
 public:
  Listeners(const Dispatcher& dispatcher, RpcService& rpc, Connections& connections)
      : dispatcher_(dispatcher), rpc_(rpc), connections_(connections) {}

  /// Acknowledges, or answers with an error.
  void listen(ConnectionId connection, const protocol::RequestId& id, const Caller& caller,
              const protocol::Document& params);
  void cancel(ConnectionId connection, const protocol::RequestId& id);
  void on_event(const JobEvent& event);
  void forget(ConnectionId connection);

 private:
  struct Filter {
    std::map<std::string, std::set<std::string>> uris;  ///< by job
    std::set<std::string> tasks;                        ///< job ids
  };

  void send(ConnectionId connection, const std::string& id, const char* method,
            nlohmann::json params);
  void tell_task(ConnectionId connection, const std::string& id, const std::string& job);

  const Dispatcher& dispatcher_;
  RpcService& rpc_;
  Connections& connections_;
  std::map<std::pair<ConnectionId, std::string>, Filter> filters_;  // by id_text()
  std::int64_t looks_ = 0;
};

}  // namespace warpmind::daemon::mcp
