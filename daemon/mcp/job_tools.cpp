#include "daemon/mcp/job_tools.h"

#include "base/text.h"
#include "config/device_table.h"
#include "daemon/mcp/tool_arguments.h"
#include "daemon/mcp/tool_schema.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::mcp {
namespace {

using nlohmann::json;
using protocol::Document;

constexpr std::size_t kInlineKernelBytes = 6000;
constexpr std::size_t kMostSteps = 64;

Execution where_job(const json& arguments) {
  const std::string action = text_of(arguments, "action");
  if (action == "list") return Execution::inline_io;
  return action == "cancel" ? Execution::write : Execution::pool;
}
Execution where_status(const json& /*arguments*/) { return Execution::inline_io; }

json step_line(const json& step) {
  json line = picked(step, {"index", "accepted"});
  const json& candidate = member(step, "candidate");
  line["technique"] = candidate.value("technique", "");
  line["parameters"] = candidate.value("parameters", "");
  const json& verdict = member(step, "verdict");
  line["outcome"] = verdict.value("outcome", "");
  line["reason"] = cut_text(verdict.value("reason", ""), 300);
  const json& comparison = member(verdict, "comparison");
  if (comparison.is_object()) line["ratio"] = comparison.value("ratio", 1.0);
  return line;
}

void add_episode(const std::string& job, const json& episode, bool whole, ToolReply& reply,
                 json& data) {
  data["outcome"] = episode.value("outcome", "");
  data["summary"] = episode.value("summary", "");
  data["best_step"] = episode.value("best_step", 0);
  const json& gain = member(episode, "best_against_baseline");
  if (gain.is_object()) data["gain"] = picked(gain, {"ratio", "low", "high", "confidence"});
  data["provider"] = episode.value("provider", "");
  const json& steps = member(episode, "steps");
  if (!steps.is_array() || steps.empty()) return;
  if (whole) {
    json lines = json::array();
    for (std::size_t i = 0; i < std::min(steps.size(), kMostSteps); ++i) {
      lines.push_back(step_line(steps[i]));
    }
    data["judged"] = std::move(lines);
    const auto best = std::min(episode.value("best_step", std::size_t{0}), steps.size() - 1);
    const json& kernel = member(member(steps[best], "candidate"), "kernel");
    const std::string source = text_of(kernel, "source");
    if (best > 0 && source.size() <= kInlineKernelBytes) data["best_kernel"] = source;
    if (best > 0) data["best_plan"] = member(kernel, "plan");
  }
  reply.links = {
      {"warpmind://kernel/" + job, "best kernel of " + job, "CUDA source", "text/x-cuda"},
      {"warpmind://run/" + job, "report of " + job, "Every step with its verdict",
       "application/json"},
      {"warpmind://run/" + job + "/roofline.svg", "roofline of " + job,
       "Given and best kernel under the device's roofline", "image/svg+xml"}};
}

Result<ToolReply> list(const Backend& backend) {
  // The scheduler's lines: "j-0000000007 running row_softmax_f16 step 3 of 24".
  WARPMIND_TRY(const auto status, backend.ask("status", json::object()));
  ToolReply reply;
  json jobs = member(status.json(), "jobs");
  reply.sentence = std::to_string(jobs.size()) + " jobs, newest first.";
  reply.data = Document(json{{"status", "done"}, {"jobs", std::move(jobs)}});
  return reply;
}

Result<ToolReply> run_job(const json& arguments, const Backend& backend) {
  const std::string action = text_of(arguments, "action");
  if (action == "list") return list(backend);
  WARPMIND_TRY(const std::string job, job_id_of(text_of(arguments, "job")));
  if (action == "cancel") {
    WARPMIND_TRY(const auto state, backend.ask("task.cancel", {{"job_id", job}}));
    ToolReply reply;
    reply.sentence = "Asked " + job + " to end; what was measured is kept.";
    reply.data = Document(
        json{{"status", "done"}, {"job", job}, {"state", state.json().value("state", "")}});
    return reply;
  }
  WARPMIND_TRY(const auto stored, backend.ask("task.result", {{"job_id", job}}));
  ToolReply reply = job_reply(member(stored.json(), "job"), action != "status");
  if (reply.job.empty()) return reply;
  WARPMIND_TRY(const auto live, backend.ask("task.status", {{"job_id", job}}));
  json data = reply.data.json();
  data.update(picked(live.json(), {"step", "steps", "best_ratio", "activity"}));
  reply.data = Document(std::move(data));
  return reply;
}

Result<ToolReply> device_info(const json& arguments, const Backend& backend) {
  WARPMIND_TRY(const auto status, backend.ask("status", json::object()));
  json data = picked(status.json(), {"mode", "device", "note", "queued", "running", "version"});
  data["status"] = "done";
  const config::DeviceTable& table = config::device_table();
  const std::string wanted = text_of(arguments, "device");
  data["known_devices"] = json::array();
  for (const auto& spec : table.all()) data["known_devices"].push_back(spec.key);
  const std::string shown = status.json().value("device", "");
  for (const auto& spec : table.all()) {
    const bool is_meant = wanted.empty() ? shown.starts_with(spec.name) : wanted == spec.key;
    if (!is_meant) continue;
    data["spec"] = {{"key", spec.key},
                    {"name", spec.name},
                    {"compute_capability",
                     std::to_string(spec.compute_major) + "." + std::to_string(spec.compute_minor)},
                    {"sm_count", spec.sm_count},
                    {"memory_gib", spec.memory_gib},
                    {"memory_bandwidth_gb_s", spec.memory_bandwidth_gb_s},
                    {"l2_mib", spec.l2_mib},
                    {"fp32_tflops", spec.fp32_tflops},
                    {"fp64_tflops", spec.fp64_tflops},
                    {"fp16_tensor_tflops", spec.fp16_tensor_tflops},
                    {"shared_kib_per_sm", spec.shared_kib_per_sm},
                    {"shared_kib_per_block", spec.shared_kib_per_block},
                    {"registers_per_sm", spec.registers_per_sm},
                    {"threads_per_sm", spec.threads_per_sm}};
    break;
  }
  if (!wanted.empty()) WARPMIND_CHECK(table.need(wanted));
  ToolReply reply;
  const std::string note = data.value("note", "");
  reply.sentence = "Kernels are judged in mode " + data.value("mode", "") +
                   (note.empty() ? "." : ": " + note + ".");
  reply.data = Document(std::move(data));
  return reply;
}

constexpr std::string_view kJobProperties = R"J({
"action":{"type":"string","enum":["status","wait","result","cancel","list"],"description":"wait: returns when it has ended or wait_s is over"},
"job":{"description":"j-0000000007, or a handle that a tool gave; not for list"},
"wait_s":{"type":"number","minimum":0,"maximum":40,"description":"For wait; default 40. Call again for more"}})J";
constexpr std::string_view kJobAnswers = R"J({
"job":{"type":"string"},"judged":{"type":"array","items":{"type":"object"}},"outcome":{"type":"string"},
"summary":{"type":"string"},"gain":{"type":"object"},"best_step":{"type":"integer"},
"best_kernel":{"type":"string"},"jobs":{"type":"array"}})J";
constexpr auto kTaskStatusMembers = std::to_array<const char*>(
    {"state", "task", "step", "steps", "best_ratio", "activity", "error"});
constexpr std::string_view kDeviceProperties = R"J({
"device":{"type":"string","description":"Row of the device table, such as h200; default the device at hand"}})J";
constexpr std::string_view kDeviceAnswers = R"J({
"mode":{"description":"gpu, sim (times are predicted), fixture or static"},
"spec":{"type":"object"},"known_devices":{"type":"array","items":{"type":"string"}}})J";
constexpr auto kStatusMembers = std::to_array<const char*>({"mode", "device", "note"});

}  // namespace

std::vector<Tool> job_tools() {
  return {{"job", "Follow a job",
           "State, waiting, result and end of optimisation jobs and of handles that other tools "
           "gave. Waiting returns within 40 s; call again until status is done.",
           false, false, true, input_schema({}, kJobProperties, {"action"}),
           output_schema({{"task.status", kTaskStatusMembers}}, kJobAnswers), where_job, run_job},
          {"device_info", "Device and mode",
           "Which GPU kernels are judged on (or simulated for), its limits and peaks, and whether "
           "times are measured or predicted.",
           true, false, true, input_schema({}, kDeviceProperties),
           output_schema({{"status", kStatusMembers}}, kDeviceAnswers), where_status, device_info}};
}

Result<std::string> job_id_of(std::string_view text) {
  const std::string_view digits = text.starts_with("j-") ? text.substr(2) : text;
  const bool fits =
      !digits.empty() && digits.size() <= 10 &&
      std::all_of(digits.begin(), digits.end(), [](char c) { return c >= '0' && c <= '9'; });
  if (!fits) {
    return fail(Errc::invalid_argument,
                "argument 'job' must be a job such as j-0000000007, or a handle that a tool gave");
  }
  return "j-" + std::string(10 - digits.size(), '0') + std::string(digits);
}

ToolReply job_reply(const json& job, bool whole) {
  const std::string id = text_of(job, "id");
  const std::string state = text_of(job, "state");
  const bool goes_on = state == "queued" || state == "running";
  ToolReply reply;
  json data{{"status", goes_on ? "working" : "done"}, {"job", id}, {"state", state}};
  data["task"] = text_of(member(member(job, "request"), "task"), "name");
  if (goes_on) {
    reply.job = id;
    reply.sentence = id + " is " + state + ".";
  } else {
    reply.sentence = id + " ended: " + state + ".";
  }
  const json& episode = member(job, "episode");
  if (episode.is_object()) add_episode(id, episode, whole, reply, data);
  const std::string error = text_of(job, "error");
  if (!error.empty()) data["error"] = error;
  reply.is_error = state == "failed";
  reply.data = Document(std::move(data));
  return reply;
}

}  // namespace warpmind::daemon::mcp
