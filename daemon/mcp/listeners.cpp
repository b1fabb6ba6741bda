#include "daemon/mcp/listeners.h"

#include "base/codec/json_guard.h"
#include "daemon/mcp/backend.h"
#include "daemon/mcp/job_tools.h"
#include "daemon/mcp/resources.h"
#include "daemon/mcp/task_view.h"
#include "daemon/mcp/tool_arguments.h"

#include <nlohmann/json.hpp>

namespace warpmind::daemon::mcp {
namespace {

using nlohmann::json;

constexpr std::size_t kMostListens = 32;  // of one connection
constexpr std::size_t kMostNames = 256;   // of one listen
constexpr auto kSubscriptionKey = "io.modelcontextprotocol/subscriptionId";

}  // namespace

void Listeners::listen(ConnectionId connection, const protocol::RequestId& id, const Caller& caller,
                       const protocol::Document& params) {
  const json& wanted = member(params.json(), "notifications");
  const auto refuse = [&](const protocol::WireError& error) {
    connections_.send(connection, protocol::make_error(id, error));
  };
  if (!wanted.is_object()) {
    return refuse({protocol::kInvalidParams, "'notifications' must be an object", ""});
  }
  const auto first = filters_.lower_bound({connection, ""});
  const auto last = filters_.lower_bound({connection + 1, ""});
  if (static_cast<std::size_t>(std::distance(first, last)) >= kMostListens) {
    return refuse({kInternalError, "too many subscriptions of one connection; cancel some", ""});
  }
  const json& tasks = member(wanted, "taskIds");
  if (tasks.is_array() && !caller.tasks) {
    return refuse(missing_tasks());
  }
  Filter filter;
  json agreed = json::object();
  for (const auto& uri : member(wanted, "resourceSubscriptions")) {
    const std::string text = uri.is_string() ? uri.get<std::string>() : std::string();
    const std::string job = job_of_uri(text);
    if (job.empty() || agreed["resourceSubscriptions"].size() >= kMostNames) continue;
    filter.uris[job].insert(text);
    agreed["resourceSubscriptions"].push_back(text);
  }
  if (tasks.is_array()) {
    agreed["taskIds"] = json::array();
    for (const auto& task : tasks) {
      const auto job = job_id_of(task.is_string() ? task.get<std::string>() : std::string());
      if (!job || filter.tasks.size() >= kMostNames) continue;
      filter.tasks.insert(*job);
      agreed["taskIds"].push_back(task);
    }
  }
  if (agreed.contains("resourceSubscriptions") && agreed["resourceSubscriptions"].is_null()) {
    agreed.erase("resourceSubscriptions");
  }
  const std::string key = protocol::id_text(id);
  filters_[{connection, key}] = std::move(filter);
  send(connection, key, "notifications/subscriptions/acknowledged",
       {{"notifications", std::move(agreed)}});
}

void Listeners::send(ConnectionId connection, const std::string& id, const char* method,
                     json params) {
  params["_meta"][kSubscriptionKey] = json::parse(id);
  connections_.send(connection, protocol::make_notification(method, codec::dump_json(params)));
}

void Listeners::on_event(const JobEvent& event) {
  const std::string& job = event.progress.job_id;
  for (const auto& [key, filter] : filters_) {
    if (const auto uris = filter.uris.find(job); uris != filter.uris.end()) {
      for (const auto& uri : uris->second) {
        send(key.first, key.second, "notifications/resources/updated", {{"uri", uri}});
      }
    }
    if (filter.tasks.contains(job)) tell_task(key.first, key.second, job);
  }
}

/// The whole task stands in the store.
void Listeners::tell_task(ConnectionId connection, const std::string& id, const std::string& job) {
  auto look = [this, job](RequestContext& context) -> Result<std::string> {
    WARPMIND_TRY(const auto stored,
                 Backend(dispatcher_, context).ask("task.result", {{"job_id", job}}));
    return codec::dump_json(task_of_job(member(stored.json(), "job")));
  };
  auto tell = [this, connection, id](const Result<std::string>& task) {
    if (!task || !filters_.contains({connection, id})) return;
    send(connection, id, "notifications/tasks", json::parse(*task));
  };
  // No request of the client may have this id.
  const protocol::RequestId own("notification/" + std::to_string(++looks_));
  (void)rpc_.submit(connection, own, Execution::pool, std::move(look), std::move(tell));
}

void Listeners::cancel(ConnectionId connection, const protocol::RequestId& id) {
  filters_.erase({connection, protocol::id_text(id)});
}

void Listeners::forget(ConnectionId connection) {
  filters_.erase(filters_.lower_bound({connection, ""}),
                 filters_.lower_bound({connection + 1, ""}));
}

}  // namespace warpmind::daemon::mcp
