#pragma once
/// \file
/// Calls of tools in the making: signs of life, handles for those that take long, waiting for jobs,
/// cancelling.

#include "daemon/mcp/era.h"
#include "daemon/mcp/mcp_options.h"
#include "daemon/mcp/tool.h"
#include "daemon/rpc/rpc_service.h"

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warpmind::daemon::mcp {

/// Does:      answer every call within McpOptions::patience, with its result or with a handle that
///            the tool `job` takes; keep the results of the newest handles.
/// Does not:  know what a tool does.
/// Threads:   io thread only.
class ToolCalls {
 public:
  /// References must outlive it, and it every task that it gave to `rpc` and `options.after`.
  ToolCalls(const Dispatcher& dispatcher, RpcService& rpc, Connections& connections,
            const McpOptions& options);

  /// One `tools/call`, whose arguments were checked.
  void start(ConnectionId connection, const protocol::RequestId& id, const Caller& caller,
             const Tool& tool, protocol::Document arguments);
  /// No answer comes then. False = there is no such call.
  bool cancel(ConnectionId connection, const protocol::RequestId& id);
  void on_event(const JobEvent& event);
  void forget(ConnectionId connection);
  [[nodiscard]] std::size_t count(ConnectionId connection) const;
  /// Calls of the connection that were answered with a handle are at work.
  [[nodiscard]] bool has_late_work(ConnectionId connection) const;

 private:
  struct Call;
  using CallPointer = std::shared_ptr<Call>;
  struct Kept {
    CallPointer call;     ///< at work; null once it has ended
    std::string outcome;  ///< result text, once ended
  };

  void run(const CallPointer& call);
  void run_here(const CallPointer& call);
  [[nodiscard]] Result<std::string> outcome_of(const CallPointer& call,
                                               RequestContext& context) const;
  void finish(const CallPointer& call, const Result<std::string>& outcome);
  void park(const CallPointer& call);
  void beat(const CallPointer& call);
  void tell(const CallPointer& call, const std::string& message);
  void answer(const CallPointer& call, const std::string& result);
  void wait_for_job(const CallPointer& call, const std::string& job,
                    std::chrono::milliseconds most);
  void end_wait(const CallPointer& call);
  bool serve_handle(const CallPointer& call);
  void keep(const std::string& handle, std::string outcome);

  const Dispatcher& dispatcher_;
  RpcService& rpc_;
  Connections& connections_;
  const McpOptions& options_;
  std::map<std::pair<ConnectionId, std::string>, CallPointer> calls_;  // unanswered
  std::map<std::string, Kept> kept_;
  std::deque<std::string> kept_order_;
  std::int64_t last_handle_ = 0;
};

}  // namespace warpmind::daemon::mcp
