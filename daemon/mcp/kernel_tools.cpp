#include "daemon/mcp/kernel_tools.h"

#include "base/text.h"
#include "daemon/mcp/job_tools.h"
#include "daemon/mcp/kernel_answers.h"
#include "daemon/mcp/tool_arguments.h"
#include "daemon/mcp/tool_schema.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::mcp {
namespace {

using nlohmann::json;
using protocol::Document;

// What goes to which method as it came.
constexpr auto kAnalyzeArguments = std::to_array<const char*>(
    {"directory", "path", "source", "device", "predict", "insights", "plan"});
constexpr auto kProfiledArguments =
    std::to_array<const char*>({"directory", "path", "source", "device", "plan"});
constexpr auto kExplainedArguments =
    std::to_array<const char*>({"directory", "path", "source", "device"});
constexpr auto kStepArguments = std::to_array<const char*>({"step", "against"});
constexpr auto kStartArguments =
    std::to_array<const char*>({"directory", "evaluations", "seconds", "provider", "proposer",
                                "policy", "device", "effort", "gpu_seconds"});
constexpr auto kOpenArguments = std::to_array<const char*>(
    {"directory", "evaluations", "seconds", "provider", "device", "effort", "gpu_seconds"});
constexpr auto kSubmitArguments =
    std::to_array<const char*>({"source", "plan", "build_flags", "edits", "technique", "parameters",
                                "rationale", "predicted_gain", "model"});
constexpr auto kCloseMembers =
    std::to_array<const char*>({"outcome", "summary", "candidates", "best_step"});

Execution at_guest(const json& /*arguments*/) { return Execution::guest; }
Execution where_optimize(const json& arguments) {
  const std::string mode = text_of(arguments, "mode");
  return mode.empty() || mode == "start" ? Execution::write : Execution::guest;
}
Execution where_explained(const json& arguments) {
  return arguments.contains("job") ? Execution::pool : Execution::guest;
}

Result<json> analysis_params(const json& arguments) {
  const std::string directory = text_of(arguments, "directory");
  const std::string path = text_of(arguments, "path");
  if (directory.empty() && path.empty() && text_of(arguments, "source").empty()) {
    return fail(Errc::invalid_argument, "one of 'directory', 'path' and 'source' must be given");
  }
  if (!directory.empty()) WARPMIND_CHECK(check_task_folder(directory));
  if (!path.empty()) WARPMIND_CHECK(check_source_file(path));
  return picked(arguments, kAnalyzeArguments);
}

Result<ToolReply> analyze(const json& arguments, const Backend& backend) {
  WARPMIND_TRY(const json params, analysis_params(arguments));
  WARPMIND_TRY(const auto answer, backend.ask("kernel.analyze", params));
  ToolReply reply = analysis_reply(answer.json());
  if (member(answer.json(), "kernels").empty()) return reply;
  // Rewrites need no launch to be known of; that they cannot be told is no failure.
  json moves = picked(arguments, {"directory", "device"});
  if (!moves.contains("directory")) moves["source"] = member(arguments, "source");
  if (moves.contains("directory") || moves["source"].is_string()) {
    if (const auto known = backend.ask("moves.explain", moves)) {
      json data = reply.data.json();
      data["moves"] = brief_moves(known->json());
      reply.data = Document(std::move(data));
    }
  }
  return reply;
}

Result<ToolReply> profile(const json& arguments, const Backend& backend) {
  const bool metrics = arguments.value("metrics", false);
  if (arguments.contains("job")) {
    json params = picked(arguments, kStepArguments);
    params["id"] = text_of(arguments, "job");
    WARPMIND_TRY(const auto answer, backend.ask("episode.profile", params));
    return step_profile_reply(answer.json(), metrics);
  }
  WARPMIND_TRY(json params, analysis_params(arguments));
  if (!params.contains("directory")) {
    return fail(
        Errc::invalid_argument,
        "a profile needs a launch: give 'directory' (a task folder; 'source' and 'plan' then "
        "stand for its kernel and launches), or 'job' and 'step'");
  }
  params["predict"] = true;
  params["insights"] = 0;
  WARPMIND_TRY(const auto answer, backend.ask("kernel.analyze", params));
  return profile_reply(answer.json(), metrics);
}

/// The card that says how; null where none does.
json card_of(const json& advice, const Backend& backend) {
  const std::string technique = advice.is_object() ? text_of(advice, "technique") : "";
  if (technique.empty()) return nullptr;
  const auto cards = backend.ask("kb.techniques", {{"name", technique}});
  if (!cards || member(cards->json(), "techniques").empty()) return nullptr;
  return member(cards->json(), "techniques")[0];
}

Result<ToolReply> explain(const json& arguments, const Backend& backend) {
  json explained;
  json data = json::object();
  if (arguments.contains("job")) {
    WARPMIND_TRY(const json answer, explained_step(arguments, backend));
    const auto index = answer.value("step", std::size_t{0});
    const json& step = member(member(answer, "episode"), "steps").at(index);
    explained = {{"bottleneck", state_before(answer)}, {"advice", member(answer, "advice")}};
    data["of"] = index == 0 ? std::string("the given kernel")
                            : "the kernel that step " + std::to_string(index) + " edited";
    const json& gradient = member(step, "gradient");
    if (gradient.is_object()) data["gradient"] = text_of(gradient, "text");
  } else {
    WARPMIND_TRY(const json params, analysis_params(arguments));
    WARPMIND_TRY(const auto answer, backend.ask("kernel.analyze", params));
    explained = picked(answer.json(), {"bottleneck", "advice", "built"});
    data["note"] = answer.json().value("note", "");
    data["diagnostics"] = diagnostics_of(answer.json());
    data["insights"] = insights_of(answer.json());
  }
  explained["card"] = card_of(member(explained, "advice"), backend);
  return explanation_reply(explained, std::move(data));
}

// --- kernel_optimize ----------------------------------------------------------------------------

Result<ToolReply> start(const json& arguments, const Backend& backend) {
  const std::string directory = text_of(arguments, "directory");
  WARPMIND_CHECK(check_task_folder(directory));
  WARPMIND_TRY(const auto submitted,
               backend.ask("task.submit", picked(arguments, kStartArguments)));
  ToolReply reply;
  reply.job = submitted.json().value("job_id", "");
  reply.sentence = "Accepted as " + reply.job + "; follow it with the tool job, action wait.";
  reply.data = Document(json{
      {"status", "working"}, {"job", reply.job}, {"ahead", submitted.json().value("ahead", 0)}});
  return reply;
}

Result<ToolReply> open(const json& arguments, const Backend& backend) {
  WARPMIND_CHECK(check_task_folder(text_of(arguments, "directory")));
  WARPMIND_TRY(const auto brief, backend.ask("episode.open", picked(arguments, kOpenArguments)));
  return brief_reply(brief.json());
}

Result<ToolReply> submit(const json& arguments, const Backend& backend) {
  json params = picked(arguments, kSubmitArguments);
  WARPMIND_TRY(params["job_id"], job_id_of(text_of(arguments, "job")));
  params["author"] = "mcp";
  WARPMIND_TRY(const auto judged, backend.ask("episode.submit", params));
  return verdict_reply(judged.json());
}

Result<ToolReply> optimize(const json& arguments, const Backend& backend) {
  const std::string mode = text_of(arguments, "mode");
  if (mode.empty() || mode == "start") return start(arguments, backend);
  if (mode == "open") return open(arguments, backend);
  if (mode == "submit") return submit(arguments, backend);
  json params = json::object();
  WARPMIND_TRY(params["job_id"], job_id_of(text_of(arguments, "job")));
  if (mode == "brief") {
    WARPMIND_TRY(const auto brief, backend.ask("episode.brief", params));
    return brief_reply(brief.json());
  }
  params["reason"] = text_of(arguments, "rationale");
  WARPMIND_TRY(const auto closed, backend.ask("episode.close", params));
  json data = picked(closed.json(), kCloseMembers);
  data["status"] = "done";
  data["job"] = params["job_id"];
  ToolReply reply;
  reply.sentence = "Closed; what it taught is in the base.";
  reply.data = Document(std::move(data));
  return reply;
}

// --- Schemas: what the methods' own do not say
// ----------------------------------------------------

constexpr std::string_view kAnalyzeProperties = R"J({
"source":{"description":"CUDA text by itself; with directory it stands for the task's kernel"}})J";
constexpr auto kAnalyzeMembers = std::to_array<const char*>(
    {"task", "device", "architecture", "built", "diagnostics", "kernels", "bottleneck", "advice",
     "predicted", "findings", "note", "insights_note"});
constexpr std::string_view kAnalyzeAnswers = R"J({
"advice":{"description":"what to do first"},"moves":{"type":"array","items":{"type":"object"}}})J";

constexpr std::string_view kProfileProperties = R"J({
"directory":{"description":"Absolute path of a task folder: its kernel is simulated and profiled"},
"source":{"description":"CUDA text that stands for the task's kernel"},
"plan":{"description":"With directory: how that kernel is launched, as submit takes it; default the task's plan"},
"job":{"description":"Instead: a job or episode whose step was judged; an open one, too"},
"step":{"description":"Of that job; default its best. One that was judged without a profile is profiled now"},
"metrics":{"type":"boolean","description":"Every metric of each launch, too"}})J";
constexpr auto kStepProfileMembers = std::to_array<const char*>(
    {"step", "against", "provider", "launches", "findings", "measurement", "note"});
constexpr std::string_view kProfileAnswers = R"J({
"tier":{"type":"string"},"workload":{"type":"string"},
"caches":{"type":"string","description":"cold or warm when a launch began"},
"launches":{"description":"the most time first: time, bytes, flops, rates, busiest pipe, top stall with its line; before: the launch of the other step that does its work"},
"metrics":{"type":"array","items":{"type":"object"}},
"lines":{"type":"array","items":{"type":"object"}},"bottleneck":{"type":"object"}})J";

constexpr std::string_view kExplainProperties = R"J({
"source":{"description":"CUDA text by itself; with directory it stands for the task's kernel"},
"job":{"description":"Instead: a job or episode"},
"step":{"type":"integer","description":"Of that job; default its best"}})J";
constexpr auto kExplainedMembers =
    std::to_array<const char*>({"bottleneck", "advice", "note", "diagnostics"});
constexpr std::string_view kExplainAnswers = R"J({
"of":{"type":"string"},
"bottleneck":{"description":"causes: the costliest first, each with its share of the time and confidence"},
"advice":{"description":"what to do first, where something is known that fits this kernel; card: when, how and risks of its technique"},
"insights":{"type":"array","items":{"type":"object"}},"gradient":{"type":"string"}})J";

constexpr std::string_view kOptimizeProperties = R"J({
"mode":{"type":"string","enum":["start","open","brief","submit","close"],"description":"start (default): the daemon's own agent works, as a job. open/brief/submit/close: you write the kernels and the daemon judges them"},
"provider":{"enum":["auto","gpu","sim"],"description":"sim: results checked and times predicted in the simulator"},
"proposer":{"enum":["builtin","llm"],"description":"start: who writes (builtin needs no model)"},
"policy":{"enum":["auto","greedy","fsr","mcgs","evolve","turns"]},
"effort":{"enum":["quick","normal","strict"]},
"job":{"description":"brief, submit, close: the job that open gave"},
"plan":{"description":"submit: the whole launch plan, when it changes: {constants:{name:int}, scratch:[{name,dtype,elements,zeroed}], launches:[{kernel, grid:[1 to 3 expressions], block, shared_bytes, arguments:[names, or i32:rows*2], cooperative:true when blocks wait for each other}]}"},
"technique":{"description":"submit: what you did, a name of the base where one fits"},
"rationale":{"maxLength":1000,"description":"submit, close: why, one sentence"},
"model":{"description":"submit: your model, for provenance"}})J";
constexpr auto kSubmittedMembers = std::to_array<const char*>({"ahead"});
constexpr auto kBriefMembers =
    std::to_array<const char*>({"step", "kernel", "best_ratio", "bottleneck", "launches", "advice",
                                "gradient", "contract", "forbidden", "evaluations_left"});
constexpr auto kJudgedMembers = std::to_array<const char*>({"accepted", "known"});
constexpr std::string_view kOptimizeAnswers = R"J({
"job":{"type":"string"},"reason":{"type":"string"},"ratio":{"type":"number"},
"time_us":{"type":"number"},"limit_us":{"type":"number","description":"least time that the device allows for the task"},
"share_of_limit":{"type":"number","description":"limit_us / time_us; 1 = nothing is left to gain"},
"best_library":{"type":"string","description":"the fastest library call that computes the same"},
"times_best_library":{"type":"number","description":"how many times as fast as that this kernel is"},
"provider":{"type":"string","description":"sim: times and ratio are predicted"},"diagnostics":{"type":"string"},
"findings":{"type":"array","items":{"type":"object"}},"state":{"type":"string"},"task":{"type":"string"},
"gain":{"type":"object"},"error":{"type":"string"}})J";

Tool optimize_tool() {
  return {
      "kernel_optimize",
      "Optimise a kernel",
      "Make the kernel of a task folder faster, verified against its reference. Mode start runs "
      "the daemon's agent as a job. Mode open gives you the kernel, its bottleneck and advice; "
      "submit has a candidate of yours judged and answers with verdict and gradient; close ends "
      "it and teaches the base. A verdict other than improved is never a win.",
      false,
      false,
      false,
      input_schema({{"task.submit", kStartArguments, "start"},
                    {"episode.open", kOpenArguments, "open"},
                    {"episode.submit", kSubmitArguments, "submit"}},
                   kOptimizeProperties),
      output_schema({{"task.submit", kSubmittedMembers},
                     {"episode.brief", kBriefMembers},
                     {"episode.submit", kJudgedMembers},
                     {"episode.close", kCloseMembers}},
                    kOptimizeAnswers),
      where_optimize,
      optimize};
}

}  // namespace

std::vector<Tool> kernel_tools() {
  return {
      {"kernel_analyze", "Analyse a kernel",
       "Build CUDA source and say what limits it without a GPU: registers, shared memory, "
       "spills, occupancy and bottleneck of each kernel, predicted time (with a task folder), "
       "rewrites that apply, and insights from the base.",
       true, false, true, input_schema({{"kernel.analyze", kAnalyzeArguments}}, kAnalyzeProperties),
       output_schema({{"kernel.analyze", kAnalyzeMembers}}, kAnalyzeAnswers), at_guest, analyze},
      {"kernel_profile", "Profile a kernel",
       "Where the time goes: time, bytes, flops, achieved rates, busiest pipe and top stall of "
       "each launch, and the hottest source lines. Of a task folder, simulated; or of any step "
       "of a job, held against the kernel that it edited.",
       true, false, true,
       input_schema({{"kernel.analyze", kProfiledArguments}, {"episode.profile", kStepArguments}},
                    kProfileProperties),
       output_schema({{"episode.profile", kStepProfileMembers}}, kProfileAnswers), at_guest,
       profile},
      optimize_tool(),
      {"explain_bottleneck", "Explain a bottleneck",
       "Why a kernel is slow: the limit, what each cause costs with what confidence, and what "
       "to do first about the costliest, where something is known that fits this kernel.",
       true, false, true,
       input_schema({{"kernel.analyze", kExplainedArguments}}, kExplainProperties),
       output_schema({{"kernel.analyze", kExplainedMembers}}, kExplainAnswers), where_explained,
       explain}};
}

}  // namespace warpmind::daemon::mcp
