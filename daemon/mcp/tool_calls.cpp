#include "daemon/mcp/tool_calls.h"

#include "base/codec/json_guard.h"
#include "base/log.h"
#include "daemon/mcp/job_tools.h"
#include "daemon/mcp/task_view.h"
#include "daemon/mcp/tool_arguments.h"

#include <algorithm>
#include <cmath>
#include <exception>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::mcp {
namespace {

using Clock = std::chrono::steady_clock;
using nlohmann::json;
using std::chrono::milliseconds;

constexpr std::size_t kMostKept = 32;
constexpr double kMostWaitSeconds = 40;
constexpr milliseconds kBetweenNews{1000};
constexpr milliseconds kAfterWaiting{3000};  // to say how the job stands that was waited for
constexpr std::string_view kHandlePrefix = "call-";

/// `outcome` as the answer to a caller of its era.
std::string in_era(const std::string& result, const Caller& caller) {
  if (!caller.modern || result.starts_with(R"({"resultType")")) return result;
  return R"({"resultType":"complete",)" + result.substr(1);
}

bool wants_wait(const Tool& tool, const json& arguments) {
  return tool.name == "job" && text_of(arguments, "action") == "wait";
}

milliseconds wait_time(const json& arguments, milliseconds most) {
  const double seconds = std::min(arguments.value("wait_s", kMostWaitSeconds), kMostWaitSeconds);
  return std::min(milliseconds(std::llround(seconds * 1000)), most);
}

}  // namespace

struct ToolCalls::Call {
  ConnectionId connection = 0;
  protocol::RequestId id;
  Caller caller;
  const Tool* tool = nullptr;
  protocol::Document arguments;
  Clock::time_point started = Clock::now();
  Clock::time_point last_news;
  double last_progress = 0;
  bool answered = false;    ///< or given up by the client
  bool is_timed = false;    ///< its park() is set
  std::string handle;       ///< that the client got instead of the result
  std::string waiting_for;  ///< a job, or a handle
  std::string job;          ///< written by the tool, read after it has ended

  [[nodiscard]] std::pair<ConnectionId, std::string> key() const {
    return {connection, protocol::id_text(id)};
  }
};

ToolCalls::ToolCalls(const Dispatcher& dispatcher, RpcService& rpc, Connections& connections,
                     const McpOptions& options)
    : dispatcher_(dispatcher), rpc_(rpc), connections_(connections), options_(options) {}

void ToolCalls::start(ConnectionId connection, const protocol::RequestId& id, const Caller& caller,
                      const Tool& tool, protocol::Document arguments) {
  auto call = std::make_shared<Call>();
  call->connection = connection;
  call->id = id;
  call->caller = caller;
  call->tool = &tool;
  call->arguments = std::move(arguments);
  if (!calls_.emplace(call->key(), call).second) {
    connections_.send(connection,
                      protocol::make_error(id, {protocol::kInvalidRequest,
                                                "a request with this id is being served", ""}));
    return;
  }
  if (!call->caller.progress_token.empty()) {
    options_.after(options_.heartbeat, [this, call] { beat(call); });
  }
  if (tool.name == "job" && serve_handle(call)) return;
  if (wants_wait(tool, call->arguments.json())) {
    const auto job = job_id_of(text_of(call->arguments.json(), "job"));
    if (!job) return answer(call, error_result_text(job.error().message));
    // Looking at the job may wait for a thread, before and after: the call ends all the same.
    call->is_timed = true;
    options_.after(options_.patience + kAfterWaiting, [this, call] { park(call); });
    return wait_for_job(call, *job, wait_time(call->arguments.json(), options_.patience));
  }
  run(call);
}

void ToolCalls::run(const CallPointer& call) {
  const Execution where = call->tool->where(call->arguments.json());
  if (where == Execution::inline_io) return run_here(call);
  auto work = [this, call](RequestContext& context) { return outcome_of(call, context); };
  const auto taken =
      rpc_.submit(call->connection, call->id, where, std::move(work),
                  [this, call](const Result<std::string>& outcome) { finish(call, outcome); });
  if (!taken) return answer(call, error_result_text(taken.error().message));
  if (!call->is_timed) options_.after(options_.patience, [this, call] { park(call); });
}

/// As text, whether it succeeds or not.
Result<std::string> ToolCalls::outcome_of(const CallPointer& call, RequestContext& context) const {
  const Backend backend(dispatcher_, context);
  const auto reply = call->tool->run(call->arguments.json(), backend);
  if (!reply) {
    return backend.refused() ? refusal_text(reply.error())
                             : error_result_text(reply.error().message);
  }
  call->job = reply->job;
  return result_text(*reply);
}

void ToolCalls::run_here(const CallPointer& call) {
  RequestContext context;
  context.connection = call->connection;
  try {
    answer(call, *outcome_of(call, context));
  } catch (const std::exception& e) {
    log::error("daemon", "a tool threw", {{"tool", call->tool->name}, {"what", e.what()}});
    answer(call, error_result_text(kFaultText));
  }
}

void ToolCalls::finish(const CallPointer& call, const Result<std::string>& outcome) {
  const std::string result = outcome ? *outcome : error_result_text(outcome.error().message);
  if (!call->handle.empty()) return keep(call->handle, result);
  const bool is_task =
      call->tool->name == "kernel_optimize" && !call->job.empty() && call->caller.tasks;
  answer(call, outcome && is_task ? created_task(call->job) : result);
}

void ToolCalls::park(const CallPointer& call) {
  if (call->answered || !call->waiting_for.empty()) return;
  call->handle = std::string(kHandlePrefix) + std::to_string(++last_handle_);
  kept_[call->handle].call = call;
  kept_order_.push_back(call->handle);
  while (kept_order_.size() > kMostKept) {
    kept_.erase(kept_order_.front());
    kept_order_.pop_front();
  }
  ToolReply reply;
  reply.sentence = "This takes longer; it goes on as " + call->handle +
                   ". Call job with action wait and this handle.";
  reply.data = protocol::Document(json{{"status", "working"}, {"handle", call->handle}});
  answer(call, result_text(reply));
}

void ToolCalls::beat(const CallPointer& call) {
  if (call->answered) return;
  tell(call, "working");
  options_.after(options_.heartbeat, [this, call] { beat(call); });
}

void ToolCalls::tell(const CallPointer& call, const std::string& message) {
  if (call->caller.progress_token.empty() || call->answered) return;
  const auto now = Clock::now();
  // Seconds: they grow whatever the work does.
  const double seconds = std::chrono::duration<double>(now - call->started).count();
  if (seconds <= call->last_progress) return;
  call->last_progress = seconds;
  call->last_news = now;
  json params{{"progress", seconds}, {"message", cut_text(message, 500)}};
  params["progressToken"] = json::parse(call->caller.progress_token);
  connections_.send(call->connection, protocol::make_notification("notifications/progress",
                                                                  codec::dump_json(params)));
}

void ToolCalls::answer(const CallPointer& call, const std::string& result) {
  if (call->answered) return;
  call->answered = true;
  calls_.erase(call->key());
  connections_.send(call->connection,
                    protocol::make_result(call->id, in_era(result, call->caller)));
}

void ToolCalls::wait_for_job(const CallPointer& call, const std::string& job, milliseconds most) {
  auto look = [this, job](RequestContext& context) -> Result<std::string> {
    WARPMIND_TRY(const auto status,
                 Backend(dispatcher_, context).ask("task.status", {{"job_id", job}}));
    return status.json().value("state", "");
  };
  auto decide = [this, call, job, most](const Result<std::string>& state) {
    // The client may have a handle by now: how the job stands is what it stands for.
    if (call->answered) return call->handle.empty() ? void() : run(call);
    if (!state) return answer(call, refusal_text(state.error()));
    call->waiting_for = job;
    const auto latest = options_.latest(JobId(job));
    const bool goes_on = *state == "queued" || *state == "running";
    if (!goes_on || (latest && is_final(latest->progress.state))) return end_wait(call);
    const auto spent = std::chrono::duration_cast<milliseconds>(Clock::now() - call->started);
    const auto left = std::max(milliseconds(0), options_.patience - spent);
    options_.after(std::min(most, left), [this, call] { end_wait(call); });
  };
  const auto taken =
      rpc_.submit(call->connection, call->id, Execution::pool, std::move(look), std::move(decide));
  if (!taken) answer(call, error_result_text(taken.error().message));
}

void ToolCalls::end_wait(const CallPointer& call) {
  if (call->answered || call->waiting_for.empty()) return;
  const bool is_handle = call->waiting_for.starts_with(kHandlePrefix);
  call->waiting_for.clear();
  if (is_handle) {
    if (!serve_handle(call)) answer(call, error_result_text("that handle is no longer kept"));
    return;
  }
  run(call);
}

/// `job` about a handle that park() gave. False: it names something else.
bool ToolCalls::serve_handle(const CallPointer& call) {
  const std::string handle = text_of(call->arguments.json(), "job");
  if (!handle.starts_with(kHandlePrefix)) return false;
  const auto kept = kept_.find(handle);
  if (kept == kept_.end()) {
    answer(call, error_result_text("there is no handle '" + handle + "', or it is too old"));
    return true;
  }
  if (!kept->second.call) {
    answer(call, kept->second.outcome);
    return true;
  }
  const std::string action = text_of(call->arguments.json(), "action");
  if (action == "cancel") (void)rpc_.cancel(kept->second.call->connection, kept->second.call->id);
  const bool first = call->last_news == Clock::time_point{};
  if (action == "wait" && first) {
    call->last_news = Clock::now();
    call->waiting_for = handle;
    options_.after(wait_time(call->arguments.json(), options_.patience),
                   [this, call] { end_wait(call); });
    return true;
  }
  ToolReply reply;
  reply.sentence = handle + (action == "cancel" ? " was asked to end." : " is at work.");
  reply.data = protocol::Document(json{{"status", "working"}, {"handle", handle}});
  answer(call, result_text(reply));
  return true;
}

void ToolCalls::keep(const std::string& handle, std::string outcome) {
  const auto kept = kept_.find(handle);
  if (kept == kept_.end()) return;
  kept->second.call.reset();
  kept->second.outcome = std::move(outcome);
  std::vector<CallPointer> waiting;
  for (const auto& [key, call] : calls_) {
    if (call->waiting_for == handle) waiting.push_back(call);
  }
  for (const auto& call : waiting) end_wait(call);
}

bool ToolCalls::cancel(ConnectionId connection, const protocol::RequestId& id) {
  const auto found = calls_.find({connection, protocol::id_text(id)});
  if (found == calls_.end()) return false;
  found->second->answered = true;
  calls_.erase(found);
  (void)rpc_.cancel(connection, id);
  return true;
}

void ToolCalls::on_event(const JobEvent& event) {
  std::vector<CallPointer> waiting;
  for (const auto& [key, call] : calls_) {
    if (call->waiting_for == event.progress.job_id) waiting.push_back(call);
  }
  for (const auto& call : waiting) {
    if (is_final(event.progress.state)) {
      // No news just before the answer: SDKs drop it when both come in one read.
      end_wait(call);
    } else if (Clock::now() - call->last_news >= kBetweenNews) {
      tell(call, std::string(name_of(event.progress.state)) + ", step " +
                     std::to_string(event.progress.step) + " of " +
                     std::to_string(event.progress.steps));
    }
  }
}

void ToolCalls::forget(ConnectionId connection) {
  for (auto call = calls_.begin(); call != calls_.end();) {
    if (call->first.first != connection) {
      ++call;
      continue;
    }
    call->second->answered = true;
    call = calls_.erase(call);
  }
  std::vector<std::string> lost;
  for (const auto& [handle, kept] : kept_) {
    if (kept.call && kept.call->connection == connection) lost.push_back(handle);
  }
  for (const auto& handle : lost) {
    keep(handle, error_result_text("it ended with the connection that had asked for it"));
  }
}

std::size_t ToolCalls::count(ConnectionId connection) const {
  const auto first = calls_.lower_bound({connection, ""});
  const auto last = calls_.lower_bound({connection + 1, ""});
  return static_cast<std::size_t>(std::distance(first, last));
}

bool ToolCalls::has_late_work(ConnectionId connection) const {
  return std::any_of(kept_.begin(), kept_.end(), [&](const auto& entry) {
    return entry.second.call && entry.second.call->connection == connection;
  });
}

}  // namespace warpmind::daemon::mcp
