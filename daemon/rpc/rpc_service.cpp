#include "daemon/rpc/rpc_service.h"

#include "base/log.h"
#include "daemon/protocol/method_table.h"

#include <exception>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::size_t kMostInFlight = 32;  // requests of one connection

/// Asked to end early when the daemon stops.
bool is_slow(Execution execution) {
  return execution == Execution::slow || execution == Execution::programs;
}

Result<std::string> guarded(const RpcService::Work& work, RequestContext& context) {
  try {
    return work(context);
  } catch (const std::exception& e) {
    // A fault of ours must cost one request, not the daemon.
    log::error("daemon", "a handler threw", {{"what", e.what()}});
    return fail(Errc::external_failure, kFaultText);
  }
}

}  // namespace

/// A request on its way through the pool and back.
struct RpcService::PoolCall {
  protocol::RequestId id;
  Work work;
  Done done;
  RequestContext context;
};

RpcService::RpcService(const Dispatcher& dispatcher, Connections& connections,
                       Subscriptions& subscriptions, Executors executors)
    : dispatcher_(dispatcher),
      connections_(connections),
      subscriptions_(subscriptions),
      executors_(std::move(executors)) {}

void RpcService::on_line(ConnectionId connection, std::string_view line) {
  auto message = protocol::parse_message(line);
  if (dialect_ != nullptr && dialect_->take(connection, message)) return;
  switch (message.kind) {
    case protocol::MessageKind::request: return serve(connection, std::move(message));
    case protocol::MessageKind::notification:
      if (message.method == "$/cancelRequest") {
        if (const auto id = protocol::id_of(message.params)) (void)cancel(connection, *id);
        return;
      }
      log::debug("daemon", "notification ignored", {{"method", message.method.substr(0, 64)}});
      return;
    case protocol::MessageKind::response: return;  // nothing was asked
    case protocol::MessageKind::invalid:
      return connections_.send(connection, protocol::make_error(message.id, *message.error));
  }
}

void RpcService::serve(ConnectionId connection, protocol::Message message) {
  const auto* spec = protocol::find_method(message.method);
  const auto* entry = dispatcher_.find(message.method);
  if (spec == nullptr || entry == nullptr || spec->kind != protocol::MethodKind::request) {
    return refuse(connection, message.id, protocol::kMethodNotFound,
                  protocol::unknown_method_message(message.method));
  }
  if (auto checked = protocol::check_params(*spec, message.params); !checked) {
    return refuse(connection, message.id, protocol::kInvalidParams,
                  std::move(checked).error().message);
  }
  if (entry->execution == Execution::inline_io) return call_inline(connection, *entry, message);
  call_on_pool(connection, *entry, std::make_shared<protocol::Message>(std::move(message)));
}

bool RpcService::cancel(ConnectionId connection, const protocol::RequestId& id) {
  const auto client = clients_.find(connection);
  if (client == clients_.end()) return false;
  const auto call = client->second.in_flight.find(protocol::id_text(id));
  if (call == client->second.in_flight.end()) return false;
  call->second.stop.request_stop();
  return true;
}

void RpcService::call_inline(ConnectionId connection, const Dispatcher::Entry& entry,
                             const protocol::Message& message) {
  RequestContext context;
  context.connection = connection;
  const auto from = std::chrono::steady_clock::now();
  const auto work = [&](RequestContext& own) { return entry.call(message.params, own); };
  const auto reply = guarded(work, context);
  observe(message.method, reply.has_value(), from);
  answer(connection, message.id, reply);
  if (context.after_reply) context.after_reply();
}

const std::function<void(RpcService::Task)>& RpcService::executor_of(Execution execution) const {
  if (execution == Execution::write) return executors_.write;
  if (execution == Execution::guest) return executors_.guest;
  if (execution == Execution::programs && executors_.programs) return executors_.programs;
  return is_slow(execution) ? executors_.slow : executors_.pool;
}

void RpcService::call_on_pool(ConnectionId connection, const Dispatcher::Entry& entry,
                              const std::shared_ptr<protocol::Message>& message) {
  const protocol::RequestId id = message->id;
  auto work = [&entry, message](RequestContext& context) {
    return entry.call(message->params, context);
  };
  const auto from = std::chrono::steady_clock::now();
  auto done = [this, connection, id, message, from](const Result<std::string>& reply) {
    observe(message->method, reply.has_value(), from);
    answer(connection, id, reply);
  };
  const auto taken = submit(connection, id, entry.execution, std::move(work), std::move(done));
  if (taken) return;
  if (taken.error().code == Errc::conflict) {
    return refuse(connection, id, protocol::kInvalidRequest, taken.error().message);
  }
  answer(connection, id, fail(taken.error()));
}

Result<void> RpcService::submit(ConnectionId connection, const protocol::RequestId& id,
                                Execution execution, Work work, Done done) {
  auto& in_flight = clients_[connection].in_flight;
  if (in_flight.size() >= kMostInFlight) {
    return fail(Errc::unavailable, std::to_string(kMostInFlight) +
                                       " requests of this connection are being served; wait for "
                                       "an answer");
  }
  const auto [slot, is_new] = in_flight.try_emplace(protocol::id_text(id));
  if (!is_new) {
    return fail(Errc::conflict,
                "a request with id " + slot->first + " is being served; ids must differ");
  }
  auto call = std::make_shared<PoolCall>();
  call->id = id;
  call->work = std::move(work);
  call->done = std::move(done);
  call->context.connection = connection;
  call->context.stop = slot->second.stop.get_token();
  slot->second.is_slow = is_slow(execution);
  ++at_work_;
  executor_of(execution)([this, call] {
    auto reply = call->context.stop.stop_requested()
                     ? Result<std::string>(fail(Errc::cancelled, "the request was cancelled"))
                     : guarded(call->work, call->context);
    executors_.io([this, call, reply = std::move(reply)] { finish(*call, reply); });
  });
  return {};
}

void RpcService::finish(PoolCall& call, const Result<std::string>& reply) {
  --at_work_;
  const ConnectionId connection = call.context.connection;
  if (const auto client = clients_.find(connection); client != clients_.end()) {
    client->second.in_flight.erase(protocol::id_text(call.id));
    call.done(reply);
    if (call.context.after_reply) call.context.after_reply();
    // The answer may have led to another call.
    if (client->second.input_ended && client->second.in_flight.empty()) {
      connections_.close_after_flush(connection);
    }
  }
  if (at_work_ == 0 && quiet_) std::exchange(quiet_, {})();
}

void RpcService::on_input_ended(ConnectionId connection) {
  // A vanished client looks the same, and would hold its place until its job ends.
  subscriptions_.forget(connection);
  const auto client = clients_.find(connection);
  if (client == clients_.end() || client->second.in_flight.empty()) {
    return connections_.close_after_flush(connection);
  }
  client->second.input_ended = true;
}

void RpcService::on_closed(ConnectionId connection) {
  subscriptions_.forget(connection);
  if (dialect_ != nullptr) dialect_->forget(connection);
  const auto client = clients_.find(connection);
  if (client == clients_.end()) return;
  for (auto& [id, call] : client->second.in_flight) call.stop.request_stop();
  clients_.erase(client);
}

bool RpcService::is_waiting(ConnectionId connection) const {
  const auto client = clients_.find(connection);
  return (client != clients_.end() && !client->second.in_flight.empty()) ||
         subscriptions_.is_watching(connection) ||
         (dialect_ != nullptr && dialect_->is_spoken_by(connection));
}

void RpcService::stop_slow() {
  for (auto& [connection, client] : clients_) {
    for (auto& [id, call] : client.in_flight) {
      if (call.is_slow) call.stop.request_stop();
    }
  }
}

void RpcService::when_quiet(Task quiet) {
  if (at_work_ == 0) return quiet();
  quiet_ = std::move(quiet);
}

void RpcService::answer(ConnectionId connection, const protocol::RequestId& id,
                        const Result<std::string>& reply) {
  connections_.send(connection, reply ? protocol::make_result(id, *reply)
                                      : protocol::make_error(id, protocol::to_wire(reply.error())));
}

void RpcService::observe(const std::string& method, bool succeeded,
                         std::chrono::steady_clock::time_point since) const {
  if (watcher_) watcher_(method, succeeded, std::chrono::steady_clock::now() - since);
}

void RpcService::refuse(ConnectionId connection, const protocol::RequestId& id, std::int64_t code,
                        std::string why) {
  connections_.send(connection, protocol::make_error(id, {code, std::move(why), ""}));
}

}  // namespace warpmind::daemon
