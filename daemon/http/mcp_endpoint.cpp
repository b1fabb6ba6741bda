#include "daemon/http/mcp_endpoint.h"

#include "base/codec/json_guard.h"
#include "daemon/http/access_token.h"
#include "daemon/http/connection_fork.h"
#include "daemon/mcp/era.h"

#include <algorithm>
#include <optional>
#include <variant>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::http {
namespace {

using nlohmann::json;
using protocol::MessageKind;
using protocol::RequestId;
using protocol::WireError;

constexpr std::size_t kMostSessions = 256;
constexpr std::size_t kMostStreams = 4;  // of one session
constexpr std::chrono::hours kSessionIdle{1};
constexpr std::size_t kSessionBytes = 16;

void refuse(const std::shared_ptr<Exchange>& exchange, int status, const RequestId& id,
            const WireError& error) {
  std::string body = protocol::make_error(id, error);
  body.pop_back();
  exchange->reply({status, "application/json", {}, std::move(body)});
}

/// A line of ours is an answer when it has an id; nullopt for notifications. The id's text.
std::optional<std::string> answered_id(std::string_view line) {
  constexpr std::string_view kHead = R"({"jsonrpc":"2.0","id":)";
  if (!line.starts_with(kHead)) return std::nullopt;
  // Inside of a text, quotes are escaped: the first match is the member itself.
  const auto end = std::min(line.find(R"(,"result":)"), line.find(R"(,"error":)"));
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(line.substr(kHead.size(), end - kHead.size()));
}

int status_of(std::string_view line) {
  const auto id = answered_id(line);
  const auto from = id ? line.find(",\"error\":") : std::string_view::npos;
  if (from == std::string_view::npos || line.find(",\"result\":") < from) return 200;
  const auto message = protocol::parse_message(line);
  return message.error ? status_of_error(message.error->code) : 200;
}

/// JSON text of the progress token in `object[name]`; empty when there is none.
std::string token_of(const json& params) {
  if (!params.is_object()) return {};
  const auto meta = params.find("_meta");
  if (meta == params.end() || !meta->is_object()) return {};
  const auto token = meta->find("progressToken");
  return token == meta->end() ? std::string() : codec::dump_json(*token);
}

bool speaks_modern(const HttpRequest& request, const protocol::Message& message) {
  if (mcp::has_modern_meta(message.params)) return true;
  const std::string* version = request.find(kVersionHeader);
  return version != nullptr && *version == mcp::kModern;
}

std::string_view without_end(std::string_view line) {
  return line.substr(0, line.size() - (line.ends_with('\n') ? 1 : 0));
}

}  // namespace

void McpEndpoint::post(const std::shared_ptr<Exchange>& exchange) {
  auto message = protocol::parse_message(exchange->request().body);
  if (message.kind == MessageKind::invalid) {
    return refuse(exchange, 400, message.id, *message.error);
  }
  const Accepted accepted = accepted_by(exchange->request());
  if (!accepted.json && !accepted.events) {
    return exchange->reply(plain_reply(406, "Accept application/json and text/event-stream."));
  }
  if (speaks_modern(exchange->request(), message)) return post_modern(exchange, message);
  if (message.kind == MessageKind::request && message.method == "initialize") {
    return open_session(exchange, message);
  }
  post_in_session(exchange, message);
}

void McpEndpoint::post_modern(const std::shared_ptr<Exchange>& exchange,
                              protocol::Message& message) {
  // Nothing is said to the server but requests; a request is cancelled by leaving.
  if (message.kind != MessageKind::request) return exchange->reply({202, "", {}, ""});
  if (const auto wrong = header_mismatch(exchange->request(), message)) {
    return refuse(exchange, 400, message.id, *wrong);
  }
  const auto caller = mcp::caller_of(message.params, false);
  if (const auto* error = std::get_if<WireError>(&caller)) {
    return refuse(exchange, 400, message.id, *error);
  }
  Waiting waiting;
  waiting.exchange = exchange;
  waiting.modern = true;
  hand_on(kFirstWebConnection + ++last_, message, std::move(waiting));
}

void McpEndpoint::open_session(const std::shared_ptr<Exchange>& exchange,
                               protocol::Message& message) {
  const auto name = random_hex(kSessionBytes);
  if (!name || !make_room()) {
    return exchange->reply(plain_reply(503, "Too many sessions are open; end some with DELETE."));
  }
  const json& params = message.params.json();
  const auto asked = params.is_object() ? params.find("protocolVersion") : params.end();
  const bool says = params.is_object() && asked != params.end() && asked->is_string();
  Session& session = sessions_[*name];
  session.connection = kFirstWebConnection + ++last_;
  session.revision = mcp::handshake_version(says ? asked->get<std::string>() : std::string());
  session.used = Clock::now();
  Waiting waiting;
  waiting.exchange = exchange;
  waiting.new_session = *name;
  hand_on(session.connection, message, std::move(waiting));
}

void McpEndpoint::post_in_session(const std::shared_ptr<Exchange>& exchange,
                                  protocol::Message& message) {
  if (exchange->request().find(kSessionHeader) == nullptr) {
    return refuse(exchange, 400, message.id,
                  {protocol::kInvalidRequest,
                   "send initialize first and then its Mcp-Session-Id with every request, or the "
                   "metadata and headers of 2026-07-28",
                   ""});
  }
  const Session* session = session_of(exchange);
  if (session == nullptr) return;
  const ConnectionId connection = session->connection;
  if (message.kind == MessageKind::request) {
    Waiting waiting;
    waiting.exchange = exchange;
    return hand_on(connection, message, std::move(waiting));
  }
  std::optional<Key> cancelled;
  if (message.method == "notifications/cancelled" && message.params.json().is_object()) {
    const json& params = message.params.json();
    const auto named = params.find("requestId");
    if (named != params.end()) cancelled = Key{connection, codec::dump_json(*named)};
  }
  if (message.kind == MessageKind::notification) (void)mcp_.take(connection, message);
  exchange->reply({202, "", {}, ""});
  const auto call = cancelled ? waiting_.find(*cancelled) : waiting_.end();
  if (call == waiting_.end()) return;
  // No answer of the tool comes any more.
  std::string line = protocol::make_error({}, {protocol::kInvalidRequest, "cancelled", ""});
  constexpr std::string_view kNoId = "\"id\":null";
  line.replace(line.find(kNoId), kNoId.size(), "\"id\":" + cancelled->second);
  answer(*cancelled, without_end(line));
}

void McpEndpoint::hand_on(ConnectionId connection, protocol::Message& message, Waiting waiting) {
  const Key key{connection, protocol::id_text(message.id)};
  const auto exchange = waiting.exchange;
  waiting.accepted = accepted_by(exchange->request());
  waiting.progress_token = token_of(message.params.json());
  if (!waiting_.emplace(key, std::move(waiting)).second) {
    return refuse(exchange, 400, message.id,
                  {protocol::kInvalidRequest, "a request with this id is being served", ""});
  }
  exchange->on_gone([this, key] { leave(key); });
  if (mcp_.take(connection, message)) return;
  const std::string line = protocol::make_error(
      message.id,
      {protocol::kMethodNotFound, "Method not found: " + message.method.substr(0, 64), ""});
  answer(key, without_end(line));
}

void McpEndpoint::leave(const Key& key) {
  const auto found = waiting_.find(key);
  if (found == waiting_.end()) return;
  const bool modern = found->second.modern;
  waiting_.erase(found);
  // In a session the work goes on: to lose a connection is not to cancel.
  if (modern) rpc_.on_closed(key.first);
}

McpEndpoint::Session* McpEndpoint::session_of(const std::shared_ptr<Exchange>& exchange) {
  const HttpRequest& request = exchange->request();
  const std::string* name = request.find(kSessionHeader);
  const auto session = name == nullptr ? sessions_.end() : sessions_.find(*name);
  if (session == sessions_.end()) {
    exchange->reply(plain_reply(404, "There is no such session; send initialize."));
    return nullptr;
  }
  const std::string* version = request.find(kVersionHeader);
  if (version != nullptr && *version != session->second.revision) {
    exchange->reply(plain_reply(
        400, "MCP-Protocol-Version must be " + session->second.revision + " in this session."));
    return nullptr;
  }
  session->second.used = Clock::now();
  return &session->second;
}

void McpEndpoint::get(const std::shared_ptr<Exchange>& exchange) {
  const std::string* name = exchange->request().find(kSessionHeader);
  if (name == nullptr) {
    return exchange->reply(
        plain_reply(405, "GET is for sessions: send Mcp-Session-Id.", {{"Allow", "POST"}}));
  }
  if (!accepted_by(exchange->request()).events) {
    return exchange->reply(plain_reply(406, "Accept text/event-stream."));
  }
  Session* session = session_of(exchange);
  if (session == nullptr) return;
  if (session->streams.size() >= kMostStreams) {
    session->streams.front()->end_stream();
    session->streams.erase(session->streams.begin());
  }
  session->streams.push_back(exchange);
  exchange->open_stream({});
  exchange->on_gone(
      [this, session_name = *name, stream = exchange.get()] { drop_stream(session_name, stream); });
}

void McpEndpoint::drop_stream(const std::string& session, const Exchange* exchange) {
  const auto found = sessions_.find(session);
  if (found == sessions_.end()) return;
  found->second.used = Clock::now();
  std::erase_if(found->second.streams,
                [&](const auto& stream) { return stream.get() == exchange; });
}

void McpEndpoint::remove(const std::shared_ptr<Exchange>& exchange) {
  const std::string* name = exchange->request().find(kSessionHeader);
  if (name == nullptr) {
    return exchange->reply(
        plain_reply(405, "DELETE is for sessions: send Mcp-Session-Id.", {{"Allow", "POST"}}));
  }
  if (session_of(exchange) == nullptr) return;
  end_session(*name);
  exchange->reply({204, "", {}, ""});
}

void McpEndpoint::end_session(const std::string& name) {
  auto session = sessions_.extract(name);
  if (session.empty()) return;
  const ConnectionId connection = session.mapped().connection;
  for (const auto& stream : session.mapped().streams) stream->end_stream();
  const auto first = waiting_.lower_bound({connection, ""});
  const auto last = waiting_.lower_bound({connection + 1, ""});
  for (auto call = first; call != last; ++call) {
    auto& waiting = call->second;
    if (waiting.streaming) {
      waiting.exchange->end_stream();
    } else {
      waiting.exchange->reply(plain_reply(404, "The session has ended."));
    }
  }
  waiting_.erase(first, last);
  rpc_.on_closed(connection);
}

bool McpEndpoint::is_busy(const Session& session) const {
  const auto call = waiting_.lower_bound({session.connection, ""});
  return !session.streams.empty() ||
         (call != waiting_.end() && call->first.first == session.connection);
}

bool McpEndpoint::make_room() {
  if (sessions_.size() < kMostSessions) return true;
  auto oldest = sessions_.end();
  for (auto it = sessions_.begin(); it != sessions_.end(); ++it) {
    if (is_busy(it->second)) continue;
    if (oldest == sessions_.end() || it->second.used < oldest->second.used) oldest = it;
  }
  if (oldest == sessions_.end()) return false;
  end_session(std::string(oldest->first));
  return true;
}

void McpEndpoint::sweep(Clock::time_point now) {
  std::vector<std::string> silent;
  for (const auto& [name, session] : sessions_) {
    if (!is_busy(session) && now - session.used > kSessionIdle) silent.push_back(name);
  }
  for (const auto& name : silent) end_session(name);
  std::vector<ConnectionId> done;
  for (const auto connection : lingering_) {
    if (!mcp_.has_late_work(connection)) done.push_back(connection);
  }
  for (const auto connection : done) {
    lingering_.erase(connection);
    rpc_.on_closed(connection);
  }
}

void McpEndpoint::send(ConnectionId id, std::string_view line) {
  line = without_end(line);
  if (const auto answered = answered_id(line)) return answer({id, *answered}, line);
  notify(id, line);
}

void McpEndpoint::answer(const Key& key, std::string_view line) {
  auto call = waiting_.extract(key);
  if (call.empty()) return;  // the client left
  Waiting& waiting = call.mapped();
  if (waiting.streaming || !waiting.accepted.json) {
    tell(waiting, line);
    waiting.exchange->end_stream();
  } else {
    HttpReply reply{waiting.modern ? status_of(line) : 200, "application/json", {}, ""};
    reply.body = line;
    if (!waiting.new_session.empty()) {
      reply.headers.push_back({"Mcp-Session-Id", waiting.new_session});
    }
    waiting.exchange->reply(std::move(reply));
  }
  if (!waiting.modern) return;
  // Deferred: whoever answers may still look at what belongs to the connection.
  defer_([this, connection = key.first] {
    if (mcp_.has_late_work(connection)) {
      lingering_.insert(connection);
    } else {
      rpc_.on_closed(connection);
    }
  });
}

/// Progress goes where the request waits; the rest to the streams of the session.
void McpEndpoint::notify(ConnectionId connection, std::string_view line) {
  std::string token;
  const auto message = protocol::parse_message(line);
  const json& params = message.params.json();
  if (params.is_object() && params.contains("progressToken")) {
    token = codec::dump_json(params["progressToken"]);
  }
  const auto first = waiting_.lower_bound({connection, ""});
  const auto last = waiting_.lower_bound({connection + 1, ""});
  for (auto call = first; call != last; ++call) {
    Waiting& waiting = call->second;
    if (!waiting.modern && (token.empty() || waiting.progress_token != token)) continue;
    if (waiting.accepted.events) tell(waiting, line);
    return;
  }
  for (const auto& [name, session] : sessions_) {
    if (session.connection != connection || session.streams.empty()) continue;
    session.streams.back()->send_event(line);
  }
}

void McpEndpoint::tell(Waiting& waiting, std::string_view line) {
  if (!waiting.streaming) {
    waiting.streaming = true;
    std::vector<HttpHeader> headers;
    if (!waiting.new_session.empty()) headers.push_back({"Mcp-Session-Id", waiting.new_session});
    waiting.exchange->open_stream(std::move(headers));
  }
  waiting.exchange->send_event(line);
}

void McpEndpoint::close_after_flush(ConnectionId id) {
  for (const auto& [name, session] : sessions_) {
    if (session.connection != id) continue;
    return defer_([this, gone = name] { end_session(gone); });
  }
}

}  // namespace warpmind::daemon::http
