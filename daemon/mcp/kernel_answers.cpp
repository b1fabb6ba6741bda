#include "daemon/mcp/kernel_answers.h"

#include "base/codec/model_json.h"
#include "base/launch_profile.h"
#include "base/sequence.h"
#include "base/text.h"
#include "daemon/mcp/tool_arguments.h"

#include <set>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::mcp {
namespace {

using nlohmann::json;
using protocol::Document;

constexpr std::size_t kMostLines = 20;
constexpr std::size_t kMostFindings = 5;
constexpr std::size_t kMostMoves = 12;
constexpr std::size_t kDiagnosticBytes = 4000;
constexpr std::size_t kInlineSourceBytes = 24'000;

json first_of(const json& list, std::size_t most) {
  json some = json::array();
  for (const auto& one : list) {
    if (some.size() == most) break;
    some.push_back(one);
  }
  return some;
}

json short_insight(const json& insight) {
  json brief = picked(insight, {"id", "kind", "state", "trust", "claim"});
  brief["gain"] = gain_of(member(insight, "utility"));
  return brief;
}

/// `metrics` that counted something, as `{"name": value}` with the digits that a reader needs.
json counted_metrics(const json& metrics) {
  json counted = json::object();
  for (const auto& metric : metrics) {
    const double value = metric.value("value", 0.0);
    if (value != 0) counted[metric.value("name", "")] = rounded(value);
  }
  return counted;
}

/// `lines` or launches with their metrics as above.
json with_counted_metrics(const json& entries) {
  json counted = json::array();
  for (json entry : entries) {
    entry["metrics"] = counted_metrics(member(entry, "metrics"));
    counted.push_back(std::move(entry));
  }
  return counted;
}

/// One launch, without what is not known.
json launch_data(const LaunchRow& row) {
  json data{{"kernel", row.kernel}, {"time_share", rounded(row.time_share)}};
  const auto add = [&data](const char* name, double value) {
    if (value > 0) data[name] = rounded(value);
  };
  add("time_us", row.time_ns / 1000);
  if (row.bytes) data["bytes_" + row.memory] = rounded(*row.bytes);
  add("gb_per_s", row.gb_per_s);
  if (row.flops) data["flops"] = rounded(*row.flops);
  add("gflop_per_s", row.gflop_per_s);
  if (!row.limited_by.empty()) {
    data["limited_by"] = row.limited_by;
    data["busiest"] = row.pipe;
    data["busiest_percent"] = rounded(row.pipe_percent);
  }
  if (row.stall.empty()) return data;
  data["stall"] = row.stall;
  add("stall_percent", row.stall_percent);
  if (row.line > 0) data["stall_line"] = row.line;
  data["stall_from"] = row.stall_origin == MetricOrigin::measured ? "gpu" : "simulator";
  return data;
}

/// The most time first; each with the launch that it is held against as `before`.
json launches_data(const std::vector<LaunchChange>& changes) {
  json launches = json::array();
  for (const LaunchChange& change : changes) {
    json launch = change.after ? launch_data(*change.after) : json{{"gone", true}};
    if (change.before) {
      launch["before"] = launch_data(*change.before);
      if (change.after) launch["paired_by"] = name_of(change.paired_by);
    }
    launches.push_back(std::move(launch));
  }
  return launches;
}

/// What a profile says beside its launches.
void add_profile(const json& profile, bool metrics, json& data) {
  data.update(picked(profile, {"tier", "workload", "caches", "note"}));
  data["lines"] = with_counted_metrics(first_of(member(profile, "lines"), kMostLines));
  if (metrics) data["metrics"] = with_counted_metrics(member(profile, "kernels"));
}

/// The time of a judged kernel beside the least that the device allows; what is not known is left
/// out.
void add_time(const json& verdict, json& data) {
  const json& measurement = member(verdict, "measurement");
  const double time_ns = measurement.is_object() ? measurement.value("median_ns", 0.0) : 0.0;
  if (time_ns <= 0) return;
  data["time_us"] = rounded(time_ns / 1000);
  const json& times = member(measurement, "times_best_library");
  if (times.is_number()) {
    const json& best = member(measurement, "best_library");
    data["times_best_library"] = rounded(times.get<double>());
    data["best_library"] = best.value("library", "") + " (" + best.value("call", "") + ")";
  }
  const json& limit = member(measurement, "limit");
  if (!limit.is_object()) return;
  const std::string unknown = limit.value("unknown", "");
  if (!unknown.empty()) data["limit_unknown"] = unknown;
  const double limit_ns = limit.value("ns", 0.0);
  if (limit_ns <= 0) return;
  data["limit_us"] = rounded(limit_ns / 1000);
  data["limited_by"] = limit.value("by", "");
  const json& share = member(measurement, "share_of_limit");
  if (share.is_number()) data["share_of_limit"] = rounded(share.get<double>());
}

json short_kernel(const json& kernel) {
  json brief = kernel;
  brief["bottleneck"] = picked(member(kernel, "bottleneck"),
                               {"primary", "secondary", "confidence", "explanation", "causes"});
  brief["insights"] = json::array();
  for (const auto& insight : member(kernel, "insights")) {
    brief["insights"].push_back(short_insight(insight));
  }
  if (member(brief, "predicted_ns").is_null()) brief.erase("predicted_ns");
  return brief;
}

}  // namespace

ToolReply analysis_reply(const json& answer) {
  json data = picked(answer, {"task", "device", "architecture", "built", "bottleneck", "advice",
                              "note", "insights_note", "seconds"});
  data["status"] = "done";
  data["diagnostics"] = diagnostics_of(answer);
  data["kernels"] = json::array();
  for (const auto& kernel : member(answer, "kernels")) {
    data["kernels"].push_back(short_kernel(kernel));
  }
  data["findings"] = first_of(member(answer, "findings"), kMostLines);
  const json& predicted = member(answer, "predicted");
  if (predicted.is_object()) {
    data["predicted"] =
        picked(predicted, {"workload", "median_ns", "low_ns", "high_ns", "bound", "confidence"});
  }
  ToolReply reply;
  const std::string primary = member(answer, "bottleneck").value("primary", "unknown");
  reply.sentence =
      !answer.value("built", false)
          ? "The source does not build; the compiler's text is in the data."
      : data["kernels"].empty()
          ? "The source holds no kernel, no __global__ function."
          : "Kernels: " + std::to_string(data["kernels"].size()) +
                (primary == "at_limit" ? "; at the limit." : "; limited by " + primary + ".");
  reply.data = Document(std::move(data));
  return reply;
}

ToolReply profile_reply(const json& answer, bool metrics) {
  json data = picked(answer, {"bottleneck"});
  data["status"] = "done";
  const json& predicted = member(answer, "predicted");
  Profile profile;
  profile.kernels = member(answer, "launches").get<std::vector<KernelProfile>>();
  profile.lines = member(answer, "lines").get<std::vector<LineProfile>>();
  if (predicted.is_object()) {
    profile.caches = CacheState::cold;  // of the simulator
    profile.workload = predicted.value("workload", "");
    data["measurement"] = predicted;
  }
  add_profile(profile, metrics, data);
  data["launches"] = launches_data(launch_changes(nullptr, profile));
  data["findings"] = first_of(member(answer, "findings"), kMostLines);
  data["tier"] = "simulated";
  data["note"] = answer.value("note", "");
  ToolReply reply;
  reply.sentence = predicted.is_object()
                       ? "Predicted " + significant(predicted.value("median_ns", 0.0)) +
                             " ns a run; nothing was measured."
                       : "Nothing was simulated; the note says why.";
  reply.data = Document(std::move(data));
  return reply;
}

std::string diagnostics_of(const json& answer) {
  return cut_text(answer.value("diagnostics", ""), kDiagnosticBytes);
}

json insights_of(const json& answer) {
  json all = json::array();
  std::set<std::string> known;
  for (const auto& kernel : member(answer, "kernels")) {
    for (const auto& insight : member(kernel, "insights")) {
      if (known.insert(insight.value("id", "")).second) all.push_back(short_insight(insight));
    }
  }
  return all;
}

json brief_moves(const json& answer) {
  json moves = json::array();
  for (const auto& technique : member(answer, "techniques")) {
    const json& possible = member(technique, "moves");
    if (!possible.is_array() || possible.empty()) continue;
    if (moves.size() == kMostMoves) break;
    json move = picked(technique, {"technique", "rationale", "kernels"});
    move["parameters"] = possible[0].value("parameters", "");
    move["predicted_gain"] = possible[0].value("predicted_gain", 1.0);
    move["variants"] = possible.size();
    moves.push_back(std::move(move));
  }
  return moves;
}

Result<json> explained_step(const json& arguments, const Backend& backend) {
  json params{{"id", text_of(arguments, "job")}};
  if (arguments.contains("step")) {
    params["step"] = arguments["step"];
  } else {
    WARPMIND_TRY(const auto whole, backend.ask("episode.explain", params));
    params["step"] = member(whole.json(), "episode").value("best_step", std::int64_t{0});
  }
  WARPMIND_TRY(const auto explained, backend.ask("episode.explain", params));
  return explained.json();
}

const json& state_before(const json& explained) {
  const auto wanted = explained.value("step", std::int64_t{0});
  for (const auto& step : member(member(explained, "episode"), "steps")) {
    const auto index = step.value("index", std::int64_t{0});
    const bool edits_given = index > 0 && step.value("edited", std::int64_t{-1}) <= 0;
    if (wanted == 0 ? edits_given : index == wanted) return member(step, "before");
  }
  return member(explained, "before");  // null: nobody edited the given kernel
}

ToolReply explanation_reply(const json& explained, json data) {
  const json& bottleneck = member(explained, "bottleneck");
  const json& advice = member(explained, "advice");
  const std::string primary =
      bottleneck.is_object() ? bottleneck.value("primary", "unknown") : "unknown";
  const bool is_known = primary != "unknown";
  ToolReply reply;
  if (!explained.value("built", true)) {
    reply.sentence = "The source does not build; the compiler's text is in the data.";
  } else if (!is_known) {
    reply.sentence = "What limits it is not known; the note says what is missing.";
  } else if (primary != "at_limit") {
    reply.sentence = "Limited by " + primary;
    const json& causes = member(bottleneck, "causes");
    if (!causes.empty()) {
      reply.sentence +=
          ": up to " + fixed(100 * causes[0].value("share", 0.0), 0) + " % of the time";
    }
    reply.sentence += ".";
  }
  if (is_known && advice.is_object()) {
    if (!reply.sentence.empty()) reply.sentence += " ";
    reply.sentence += text_of(advice, "text");
    data["advice"] = advice;
    const json& card = member(explained, "card");
    if (card.is_object()) {
      data["advice"]["card"] = picked(card, {"title", "when", "when_not", "how", "parameters",
                                             "risks", "typical_low", "typical_high"});
    }
  }
  if (reply.sentence.empty()) reply.sentence = "It is at its limit.";
  data["status"] = "done";
  data["bottleneck"] = bottleneck;
  reply.data = Document(std::move(data));
  return reply;
}

ToolReply step_profile_reply(const json& answer, bool metrics) {
  json data = picked(answer, {"step", "provider"});
  data["status"] = "done";
  add_profile(member(answer, "profile"), metrics, data);
  data["launches"] = launches_data(member(answer, "launches").get<std::vector<LaunchChange>>());
  if (member(answer, "against").is_number()) data["against"] = answer["against"];
  if (member(answer, "measurement").is_object()) data["measurement"] = answer["measurement"];
  data["findings"] = first_of(member(answer, "findings"), kMostLines);
  const std::string note = answer.value("note", "");
  if (!note.empty()) data["note"] = note;
  ToolReply reply;
  reply.sentence = "The profile of step " + std::to_string(answer.value("step", 0)) +
                   ", provider " + answer.value("provider", "") + ".";
  reply.data = Document(std::move(data));
  return reply;
}

ToolReply brief_reply(const json& brief) {
  json data = picked(brief, {"step", "best_ratio", "bottleneck", "gradient", "contract",
                             "forbidden", "evaluations_left", "lease_s"});
  data["launches"] = json::array();
  for (const auto& row : member(brief, "launches")) {
    data["launches"].push_back(launch_data(row.get<LaunchRow>()));
  }
  const std::string job = brief.value("job_id", "");
  data["status"] = "done";
  data["job"] = job;
  data["kernel"] = member(brief, "kernel");
  const std::string source = text_of(data["kernel"], "source");
  ToolReply reply;
  if (source.size() > kInlineSourceBytes) data["kernel"]["source"] = cut_text(source, 2000);
  reply.links.push_back(
      {"warpmind://kernel/" + job, "kernel to edit of " + job, "CUDA source", "text/x-cuda"});
  json advice = json::object();
  const json& given = member(brief, "advice");
  advice["first"] = given.value("first", "");
  advice["techniques"] = first_of(member(given, "techniques"), 5);
  advice["insights"] = json::array();
  for (const auto& insight : member(given, "insights")) {
    if (insight.value("shown", true)) advice["insights"].push_back(short_insight(insight));
  }
  data["advice"] = std::move(advice);
  reply.sentence = "Open as " + job +
                   ": write a better kernel and call kernel_optimize, mode "
                   "submit; " +
                   std::to_string(brief.value("evaluations_left", 0)) + " candidates are left.";
  reply.data = Document(std::move(data));
  return reply;
}

ToolReply verdict_reply(const json& judged) {
  const json& verdict = member(judged, "verdict");
  json data = picked(judged, {"step", "accepted", "known"});
  data["status"] = "done";
  data["job"] = judged.value("job_id", "");
  data["outcome"] = verdict.value("outcome", "");
  data["reason"] = verdict.value("reason", "");
  const json& comparison = member(verdict, "comparison");
  if (comparison.is_object()) data["ratio"] = comparison.value("ratio", 1.0);
  add_time(verdict, data);
  const json& measurement = member(verdict, "measurement");
  if (measurement.is_object()) data["provider"] = measurement.value("provider", "");
  const json& profile = member(verdict, "profile");
  if (measurement.is_object() && profile.is_object()) {
    data["launches"] = launches_data(launch_changes(nullptr, profile.get<Profile>()));
  }
  data["findings"] = first_of(member(verdict, "findings"), kMostFindings);
  const json& gradient = member(judged, "gradient");
  if (gradient.is_object()) data["gradient"] = gradient.value("text", "");
  const json& build = member(verdict, "build");
  if (build.is_object() && !build.value("succeeded", true)) {
    data["diagnostics"] = cut_text(build.value("diagnostics", ""), kDiagnosticBytes);
  }
  ToolReply reply;
  const bool predicted = data.value("provider", "") == "sim";
  reply.sentence = "Judged as step " + std::to_string(judged.value("step", 0)) + ": " +
                   verdict.value("outcome", "") +
                   (predicted ? "; its time is predicted, not measured." : ".");
  reply.data = Document(std::move(data));
  return reply;
}

}  // namespace warpmind::daemon::mcp
