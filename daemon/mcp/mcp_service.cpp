#include "daemon/mcp/mcp_service.h"

#include "base/codec/json_guard.h"
#include "base/log.h"
#include "base/sequence.h"
#include "daemon/mcp/argument_schema.h"
#include "daemon/mcp/job_tools.h"
#include "daemon/mcp/prompts.h"
#include "daemon/mcp/resources.h"
#include "daemon/mcp/task_view.h"
#include "daemon/mcp/tool_arguments.h"

#include <array>
#include <exception>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::mcp {
namespace {

using nlohmann::json;
using protocol::RequestId;
using protocol::WireError;

constexpr std::size_t kMostCalls = 64;  // of one connection, waiting ones too

constexpr std::array<std::string_view, 16> kMethods{
    "initialize",   "ping",           "server/discover",      "tools/list",
    "tools/call",   "resources/list", "resources/read",       "resources/templates/list",
    "prompts/list", "prompts/get",    "subscriptions/listen", "tasks/get",
    "tasks/update", "tasks/cancel",   "completion/complete",  "logging/setLevel"};

bool is_method(std::string_view name) { return contains(kMethods, name); }

/// The tools as listed; schemas are parsed once.
const json& tool_list() {
  static const json list = [] {
    json rows = json::array();
    for (const auto& tool : tools()) {
      rows.push_back({{"name", tool.name},
                      {"title", tool.title},
                      {"description", tool.description},
                      {"inputSchema", json::parse(tool.input_schema)},
                      {"outputSchema", json::parse(tool.output_schema)},
                      {"annotations",
                       {{"title", tool.title},
                        {"readOnlyHint", tool.read_only},
                        {"destructiveHint", tool.destructive},
                        {"idempotentHint", tool.idempotent},
                        {"openWorldHint", false}}}});
    }
    return rows;
  }();
  return list;
}

const json& input_schema_of(const Tool& tool) {
  for (const auto& row : tool_list()) {
    if (row["name"] == tool.name) return row["inputSchema"];
  }
  return tool_list();  // not reached: every tool is listed
}

WireError wire_error(const Error& error) {
  const bool callers = error.code == Errc::invalid_argument || error.code == Errc::not_found;
  return {callers ? protocol::kInvalidParams : kInternalError, error.message, ""};
}

/// Lists here have one page.
bool has_cursor(const protocol::Document& params) {
  return params.json().is_object() && member(params.json(), "cursor").is_string();
}

}  // namespace

McpService::McpService(const Dispatcher& dispatcher, RpcService& rpc, Connections& connections,
                       McpOptions options)
    : dispatcher_(dispatcher),
      rpc_(rpc),
      connections_(connections),
      options_(std::move(options)),
      calls_(dispatcher, rpc, connections, options_),
      listeners_(dispatcher, rpc, connections) {}

bool McpService::take(ConnectionId connection, protocol::Message& message) {
  if (message.kind == protocol::MessageKind::notification) {
    if (!message.method.starts_with("notifications/")) return false;
    take_notification(connection, message);
    return true;
  }
  if (message.kind != protocol::MessageKind::request) return false;
  const bool ours =
      is_method(message.method) || has_modern_meta(message.params) || shaken_.contains(connection);
  if (ours) serve(connection, message);
  return ours;
}

void McpService::take_notification(ConnectionId connection, const protocol::Message& message) {
  if (message.method != "notifications/cancelled" || !message.params.json().is_object()) return;
  protocol::Document named(json{{"id", member(message.params.json(), "requestId")}});
  const auto id = protocol::id_of(named);
  if (!id) return;
  listeners_.cancel(connection, *id);
  (void)calls_.cancel(connection, *id);
}

void McpService::serve(ConnectionId connection, const protocol::Message& message) {
  speakers_.insert(connection);
  if (message.method == "initialize" && !has_modern_meta(message.params)) {
    return shake_hands(connection, message);
  }
  if (message.method == "ping" && !has_modern_meta(message.params)) {
    connections_.send(connection, protocol::make_result(message.id, "{}"));
    return;
  }
  auto caller = caller_of(message.params, shaken_.contains(connection));
  if (auto* error = std::get_if<WireError>(&caller)) {
    return refuse(connection, message.id, *error);
  }
  try {
    dispatch(message.method,
             {connection, message.id, message.params, std::get<Caller>(std::move(caller))});
  } catch (const std::exception& e) {
    log::error("daemon", "MCP threw", {{"method", message.method}, {"what", e.what()}});
    refuse(connection, message.id, {kInternalError, kFaultText, ""});
  }
}

void McpService::shake_hands(ConnectionId connection, const protocol::Message& message) {
  shaken_.insert(connection);
  const json& params = message.params.json();
  const std::string asked = params.is_object() ? text_of(params, "protocolVersion") : "";
  const json result = handshake(options_.version, handshake_version(asked));
  connections_.send(connection, protocol::make_result(message.id, codec::dump_json(result)));
}

void McpService::dispatch(const std::string& method, const Request& request) {
  if (method.ends_with("/list") && has_cursor(request.params)) {
    return refuse(
        request.connection, request.id,
        {protocol::kInvalidParams, "this list has one page: there is no such cursor", ""});
  }
  const bool modern = request.caller.modern;
  if (method == "tools/list") return list_tools(request);
  if (method == "tools/call") return call_tool(request);
  if (method == "resources/list") return list_resources(request);
  if (method == "resources/read") return read(request);
  if (method == "prompts/get") return get_prompt(request);
  if (method == "prompts/list") {
    return reply(request, {{"prompts", prompt_list()}}, Caching::fixed);
  }
  if (method == "resources/templates/list") {
    return reply(request, {{"resourceTemplates", resource_templates()}}, Caching::fixed);
  }
  if (method == "server/discover" && modern) {
    return reply(request, discovery(options_.version), Caching::fixed);
  }
  if (method == "subscriptions/listen" && modern) {
    return listeners_.listen(request.connection, request.id, request.caller, request.params);
  }
  const bool is_task =
      method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel";
  if (is_task && modern) return serve_task(method, request);
  refuse(request.connection, request.id,
         {protocol::kMethodNotFound, "Method not found: " + method.substr(0, 64), ""});
}

void McpService::list_tools(const Request& request) {
  reply(request, {{"tools", tool_list()}}, Caching::fixed);
}

void McpService::call_tool(const Request& request) {
  static const json nothing = json::object();
  const json& params = request.params.json().is_object() ? request.params.json() : nothing;
  const std::string name = text_of(params, "name");
  const Tool* tool = find_tool(name);
  if (tool == nullptr) {
    return refuse(request.connection, request.id,
                  {protocol::kInvalidParams, "Unknown tool: '" + name.substr(0, 64) + "'", ""});
  }
  const auto fault = [&](const std::string& sentence) {
    reply(request, json::parse(error_result_text(sentence)), Caching::none);
  };
  const json& given = member(params, "arguments");
  const json& arguments = given.is_null() ? nothing : given;
  if (const auto checked = check_arguments(input_schema_of(*tool), arguments); !checked) {
    return fault(checked.error().message);
  }
  if (calls_.count(request.connection) >= kMostCalls) {
    return fault("too many calls of this connection are being served; wait for an answer");
  }
  calls_.start(request.connection, request.id, request.caller, *tool,
               protocol::Document(arguments));
}

void McpService::get_prompt(const Request& request) {
  static const json nothing = json::object();
  const json& params = request.params.json().is_object() ? request.params.json() : nothing;
  const json& given = member(params, "arguments");
  if (!given.is_null() && !given.is_object()) {
    return refuse(request.connection, request.id,
                  {protocol::kInvalidParams, "'arguments' must be an object", ""});
  }
  const auto found = prompt(text_of(params, "name"), given.is_null() ? nothing : given);
  if (!found) return refuse(request.connection, request.id, wire_error(found.error()));
  reply(request, found->json(), Caching::none);
}

void McpService::list_resources(const Request& request) {
  RequestContext context;
  context.connection = request.connection;
  const auto list = resource_list(Backend(dispatcher_, context));
  if (!list) return refuse(request.connection, request.id, wire_error(list.error()));
  reply(request, list->json(), Caching::live);
}

void McpService::read(const Request& request) {
  const json& params = request.params.json();
  const std::string uri = params.is_object() ? text_of(params, "uri") : "";
  const Caller caller = request.caller;
  const ConnectionId connection = request.connection;
  const RequestId id = request.id;
  auto work = [this, uri, caller](RequestContext& context) -> Result<std::string> {
    WARPMIND_TRY(const auto contents, read_resource(uri, Backend(dispatcher_, context)));
    return finished(contents.json(), caller, Caching::stored);
  };
  auto done = [this, connection, id, caller, uri](const Result<std::string>& result) {
    if (result) return connections_.send(connection, protocol::make_result(id, *result));
    WireError error = wire_error(result.error());
    if (result.error().code == Errc::not_found) {
      if (!caller.modern) error.code = kLegacyNoResource;
      error.data = codec::dump_json(json{{"uri", uri.substr(0, 256)}});
    }
    refuse(connection, id, error);
  };
  const auto taken = rpc_.submit(connection, id, Execution::pool, std::move(work), std::move(done));
  if (!taken) refuse(connection, id, wire_error(taken.error()));
}

void McpService::serve_task(const std::string& method, const Request& request) {
  if (!request.caller.tasks) return refuse(request.connection, request.id, missing_tasks());
  const json& params = request.params.json();
  const auto job = job_id_of(text_of(params, "taskId"));
  if (!job) {
    return refuse(request.connection, request.id,
                  {protocol::kInvalidParams, "'taskId' is no task of this server", ""});
  }
  const Caller caller = request.caller;
  const bool cancels = method == "tasks/cancel";
  const bool gets = method == "tasks/get";
  reply_later(
      request, cancels ? Execution::write : Execution::pool,
      [this, job = *job, caller, cancels, gets](RequestContext& context) -> Result<std::string> {
        const Backend backend(dispatcher_, context);
        WARPMIND_TRY(const auto stored, backend.ask("task.result", {{"job_id", job}}));
        if (gets) {
          return finished(task_of_job(member(stored.json(), "job")), caller, Caching::none);
        }
        // One that has ended cannot be cancelled; the wish is acknowledged all the same.
        if (cancels) (void)backend.ask("task.cancel", {{"job_id", job}}).has_value();
        return finished(json::object(), caller, Caching::none);
      });
}

void McpService::reply_later(const Request& request, Execution where, RpcService::Work work) {
  const ConnectionId connection = request.connection;
  const RequestId id = request.id;
  auto done = [this, connection, id](const Result<std::string>& result) {
    if (result) return connections_.send(connection, protocol::make_result(id, *result));
    refuse(connection, id, wire_error(result.error()));
  };
  const auto taken = rpc_.submit(connection, id, where, std::move(work), std::move(done));
  if (!taken) refuse(connection, id, wire_error(taken.error()));
}

void McpService::reply(const Request& request, json result, Caching caching) {
  connections_.send(
      request.connection,
      protocol::make_result(request.id, finished(std::move(result), request.caller, caching)));
}

void McpService::refuse(ConnectionId connection, const RequestId& id, const WireError& error) {
  connections_.send(connection, protocol::make_error(id, error));
}

bool McpService::is_spoken_by(ConnectionId connection) const {
  return speakers_.contains(connection);
}

void McpService::on_event(const JobEvent& event) {
  calls_.on_event(event);
  listeners_.on_event(event);
}

void McpService::forget(ConnectionId connection) {
  calls_.forget(connection);
  listeners_.forget(connection);
  speakers_.erase(connection);
  shaken_.erase(connection);
}

}  // namespace warpmind::daemon::mcp
