#include "daemon/mcp/task_view.h"

#include "base/codec/json_guard.h"
#include "base/text.h"
#include "daemon/mcp/job_tools.h"
#include "daemon/mcp/tool_arguments.h"
#include "daemon/protocol/error_codec.h"

#include <chrono>
#include <ctime>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::mcp {
namespace {

using nlohmann::json;

constexpr std::int64_t kPollMs = 2000;
constexpr std::size_t kTextBytes = std::size_t{60} * 1024;  // clients cut at about 25 000 tokens

std::int64_t unix_now() {
  using std::chrono::milliseconds;
  return std::chrono::duration_cast<milliseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

json seed(const std::string& job, std::int64_t created_ms, std::int64_t updated_ms) {
  return {{"taskId", job},
          {"createdAt", iso_time(created_ms)},
          {"lastUpdatedAt", iso_time(updated_ms)},
          {"ttlMs", nullptr},
          {"pollIntervalMs", kPollMs}};
}

json text_content(std::string text) { return {{"type", "text"}, {"text", std::move(text)}}; }

}  // namespace

std::string iso_time(std::int64_t unix_ms) { return utc_time_text(unix_ms / 1000); }

std::string created_task(const std::string& job) {
  const auto now = unix_now();
  json task = seed(job, now, now);
  task["resultType"] = "task";
  task["status"] = "working";
  task["statusMessage"] = "queued";
  return codec::dump_json(task);
}

json task_of_job(const json& job) {
  const std::string state = text_of(job, "state");
  const bool goes_on = state == "queued" || state == "running";
  const auto now = unix_now();
  const json& episode = member(job, "episode");
  const std::int64_t ended = episode.is_object() ? episode.value("finished", now) : now;
  json task = seed(text_of(job, "id"), job.value("submitted", now), goes_on ? now : ended);
  if (goes_on || state == "cancelled") {
    task["status"] = goes_on ? "working" : "cancelled";
    task["statusMessage"] = state;
    return task;
  }
  const ToolReply reply = job_reply(job, true);
  task["status"] = "completed";
  task["statusMessage"] = reply.sentence;
  task["result"] = json::parse(result_text(reply));
  return task;
}

std::string result_text(const ToolReply& reply) {
  json content = json::array({text_content(reply.sentence)});
  content.push_back(text_content(cut_text(codec::dump_json(reply.data.json()), kTextBytes)));
  for (const auto& link : reply.links) {
    content.push_back({{"type", "resource_link"},
                       {"uri", link.uri},
                       {"name", link.name},
                       {"description", link.description},
                       {"mimeType", link.mime_type}});
  }
  json result{{"content", std::move(content)}, {"structuredContent", reply.data.json()}};
  if (reply.is_error) result["isError"] = true;
  return codec::dump_json(result);
}

std::string error_result_text(const std::string& sentence) {
  return codec::dump_json(
      json{{"content", json::array({text_content(sentence)})}, {"isError", true}});
}

std::string refusal_text(const Error& error) {
  ToolReply reply;
  reply.sentence = "The daemon refused this (" + std::string(protocol::errc_name(error.code)) +
                   "); 'error' in the data says why.";
  reply.data = protocol::Document(json{{"status", "done"}, {"error", error.message}});
  reply.is_error = true;
  return result_text(reply);
}

}  // namespace warpmind::daemon::mcp
