#pragma once
/// \file
/// The life of a request: line in, check, handler, line out.

#include "daemon/protocol/envelope.h"
#include "daemon/rpc/dialect.h"
#include "daemon/rpc/dispatcher.h"
#include "daemon/rpc/subscriptions.h"
#include "daemon/transport/connections.h"

#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>

namespace warpmind::daemon {

/// What a client hears of an exception; what it said is in the log.
inline constexpr const char* kFaultText = "a fault of the daemon itself; its log says more";

/// Does:      answer every request exactly once, in any order; give up those whose client left.
/// Does not:  know any method.
/// Threads:   io thread only; handlers of the pool run there and come back.
class RpcService final : public ConnectionEvents {
 public:
  using Task = std::function<void()>;
  /// How to get onto a thread. Tasks on `io` run in the order given, never inside the call.
  struct Executors {
    std::function<void(Task)> io;
    std::function<void(Task)> pool;
    std::function<void(Task)> write;
    std::function<void(Task)> slow;           ///< one after the other
    std::function<void(Task)> guest = {};     ///< several; each may wait for the device
    std::function<void(Task)> programs = {};  ///< several; empty = as slow
  };

  /// References must outlive this, and this the last task on both executors.
  RpcService(const Dispatcher& dispatcher, Connections& connections, Subscriptions& subscriptions,
             Executors executors);

  void on_line(ConnectionId connection, std::string_view line) override;
  void on_input_ended(ConnectionId connection) override;
  void on_closed(ConnectionId connection) override;
  [[nodiscard]] bool is_waiting(ConnectionId connection) const override;

  /// Told of each answer to a method of the table: who counts, not who decides. io thread.
  using Watcher = std::function<void(std::string_view method, bool succeeded,
                                     std::chrono::steady_clock::duration took)>;
  void watch(Watcher watcher) { watcher_ = std::move(watcher); }

  /// Offers it every message first. `dialect` must outlive this.
  void speak(Dialect& dialect) { dialect_ = &dialect; }
  using Work = std::function<Result<std::string>(RequestContext&)>;
  using Done = std::function<void(const Result<std::string>&)>;
  /// For dialects: does `work` where `execution` says, as the request `id` of a connection, which
  /// can be cancelled; then calls `done` on the io thread. Errors: conflict when such a request is
  /// being served; unavailable when there are too many.
  [[nodiscard]] Result<void> submit(ConnectionId connection, const protocol::RequestId& id,
                                    Execution execution, Work work, Done done);
  /// Asks a request to end early; false = there is none of that id.
  bool cancel(ConnectionId connection, const protocol::RequestId& id);

  /// Asks slow handlers to end early; those that cannot go on to their end.
  void stop_slow();
  /// Calls `quiet` as soon as no handler is at work.
  void when_quiet(Task quiet);

 private:
  struct InFlight {
    std::stop_source stop;
    bool is_slow = false;
  };
  struct Client {
    std::map<std::string, InFlight> in_flight;  // by id_text()
    bool input_ended = false;
  };
  struct PoolCall;

  [[nodiscard]] const std::function<void(Task)>& executor_of(Execution execution) const;

  void serve(ConnectionId connection, protocol::Message message);
  void call_inline(ConnectionId connection, const Dispatcher::Entry& entry,
                   const protocol::Message& message);
  void call_on_pool(ConnectionId connection, const Dispatcher::Entry& entry,
                    const std::shared_ptr<protocol::Message>& message);
  void finish(PoolCall& call, const Result<std::string>& reply);
  void answer(ConnectionId connection, const protocol::RequestId& id,
              const Result<std::string>& reply);
  void observe(const std::string& method, bool succeeded,
               std::chrono::steady_clock::time_point since) const;
  void refuse(ConnectionId connection, const protocol::RequestId& id, std::int64_t code,
              std::string why);

  const Dispatcher& dispatcher_;
  Connections& connections_;
  Subscriptions& subscriptions_;
  Executors executors_;
  Dialect* dialect_ = nullptr;
  Watcher watcher_;
  std::unordered_map<ConnectionId, Client> clients_;
  std::size_t at_work_ = 0;  // calls on the pool
  Task quiet_;
};

}  // namespace warpmind::daemon
