#include "daemon/http/page_api.h"

#include "base/codec/json_guard.h"
#include "daemon/http/page_methods.h"
#include "daemon/protocol/error_codec.h"
#include "daemon/protocol/message_codec.h"
#include "daemon/protocol/method_table.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::http {
namespace {

using protocol::MessageKind;
using protocol::WireError;

/// The session's token, which the gate has seen.
std::string_view token_of(const HttpRequest& request) {
  constexpr std::string_view kScheme = "Bearer ";
  const std::string* shown = request.find("authorization");
  const std::string_view text = shown == nullptr ? std::string_view() : *shown;
  return text.substr(std::min(text.size(), kScheme.size()));
}

std::optional<std::string> code_in(const std::string& body) {
  const auto given = codec::parse_json(body, codec::JsonLimits{4, 16});
  if (!given || !given->is_object()) return std::nullopt;
  const auto code = given->find("code");
  if (code == given->end() || !code->is_string()) return std::nullopt;
  return code->get<std::string>();
}

void reply_line(Exchange& exchange, int status, std::string line) {
  if (line.ends_with('\n')) line.pop_back();
  exchange.reply({status, "application/json", {}, std::move(line)});
}

void refuse(Exchange& exchange, int status, const protocol::RequestId& id, const WireError& error) {
  reply_line(exchange, status, protocol::make_error(id, error));
}

}  // namespace

void PageApi::add_routes(Router& router) {
  using Shared = std::shared_ptr<Exchange>;
  router.add(
      "/api/login", "POST", [this](const Shared& exchange) { login(exchange); }, Access::open);
  router.add(
      "/api/logout", "POST", [this](const Shared& exchange) { logout(exchange); }, Access::session);
  router.add(
      "/api/rpc", "POST", [this](const Shared& exchange) { call(exchange); }, Access::session);
  router.add(
      "/api/events", "GET", [this](const Shared& exchange) { events(exchange); }, Access::session);
}

void PageApi::login(const std::shared_ptr<Exchange>& exchange) {
  const auto code = code_in(exchange->request().body);
  if (!code) return exchange->reply(plain_reply(400, R"(Send {"code":"…"}.)"));
  auto opened = sessions_.redeem(*code);
  if (!opened) {
    const int status = opened.error().code == Errc::not_found ? 403 : 503;
    return exchange->reply(plain_reply(status, opened.error().message));
  }
  exchange->reply({200, "application/json", {}, R"({"token":")" + opened->token + "\"}"});
}

void PageApi::logout(const std::shared_ptr<Exchange>& exchange) {
  const auto connection = sessions_.end(token_of(exchange->request()));
  exchange->reply({204, "", {}, ""});
  if (connection) end(*connection);
}

void PageApi::end(ConnectionId connection) {
  feed_.end(connection);
  rpc_.on_closed(connection);
}

void PageApi::sweep() {
  for (const auto owner : feed_.owners()) sessions_.keep(owner);
  for (const auto connection : sessions_.sweep()) end(connection);
}

void PageApi::events(const std::shared_ptr<Exchange>& exchange) {
  const auto connection = sessions_.use(token_of(exchange->request()));
  if (!connection) return exchange->reply(plain_reply(401, "The session has ended."));
  feed_.subscribe(*connection, exchange);
}

void PageApi::on_event(const JobEvent& event) {
  feed_.publish(R"({"type":"job","job":)" + protocol::encode(event.progress) + "}");
}

void PageApi::on_change() { feed_.publish(R"({"type":"changed"})"); }

void PageApi::call(const std::shared_ptr<Exchange>& exchange) {
  const auto connection = sessions_.use(token_of(exchange->request()));
  if (!connection) return exchange->reply(plain_reply(401, "The session has ended."));
  auto message =
      std::make_shared<protocol::Message>(protocol::parse_message(exchange->request().body));
  if (message->kind == MessageKind::invalid) {
    return refuse(*exchange, 400, message->id, *message->error);
  }
  if (message->kind != MessageKind::request) {
    return refuse(*exchange, 400, {}, {protocol::kInvalidRequest, "send one request", ""});
  }
  if (const auto allowed = check_page_method(message->method, message->params); !allowed) {
    return refuse(*exchange, 403, message->id,
                  {protocol::kMethodNotFound, allowed.error().message, ""});
  }
  const auto* spec = protocol::find_method(message->method);
  const auto* entry = dispatcher_.find(message->method);
  if (spec == nullptr || entry == nullptr) {
    return refuse(
        *exchange, 404, message->id,
        {protocol::kMethodNotFound, protocol::unknown_method_message(message->method), ""});
  }
  if (const auto checked = protocol::check_params(*spec, message->params); !checked) {
    return refuse(*exchange, 200, message->id,
                  {protocol::kInvalidParams, checked.error().message, ""});
  }
  if (entry->execution != Execution::inline_io) {
    return call_on_pool(*connection, *entry, message, exchange);
  }
  RequestContext context;
  context.connection = *connection;
  answer(*exchange, *message, entry->call(message->params, context));
}

void PageApi::call_on_pool(ConnectionId connection, const Dispatcher::Entry& entry,
                           const std::shared_ptr<protocol::Message>& message,
                           const std::shared_ptr<Exchange>& exchange) {
  // Ids of two tabs may be the same.
  const protocol::RequestId own("page/" + std::to_string(++calls_));
  auto work = [&entry, message](RequestContext& context) {
    return entry.call(message->params, context);
  };
  auto done = [this, message, exchange](const Result<std::string>& reply) {
    answer(*exchange, *message, reply);
  };
  const auto taken =
      rpc_.submit(connection, own, entry.execution, std::move(work), std::move(done));
  if (!taken) return answer(*exchange, *message, fail(taken.error()));
  exchange->on_gone([this, connection, own] { (void)rpc_.cancel(connection, own); });
}

void PageApi::answer(Exchange& exchange, const protocol::Message& message,
                     const Result<std::string>& reply) {
  if (!reply) return refuse(exchange, 200, message.id, protocol::to_wire(reply.error()));
  reply_line(exchange, 200, protocol::make_result(message.id, *reply));
}

}  // namespace warpmind::daemon::http
