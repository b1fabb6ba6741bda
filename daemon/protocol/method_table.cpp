#include "daemon/protocol/method_table.h"

#include "base/text.h"
#include "daemon/protocol/analysis_method_table.h"
#include "daemon/protocol/dashboard_method_table.h"
#include "daemon/protocol/editor_method_table.h"
#include "daemon/protocol/flops_method_table.h"
#include "daemon/protocol/guest_method_table.h"
#include "daemon/protocol/kernel_method_table.h"
#include "daemon/protocol/knowledge_method_table.h"
#include "daemon/protocol/log_method_table.h"
#include "daemon/protocol/program_task_method_table.h"
#include "daemon/protocol/queue_method_table.h"
#include "daemon/protocol/record_method_table.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::protocol {
namespace {

using enum FieldType;

constexpr std::array kGreetingFields{
    FieldSpec{"server", string, true, "`warpmindd`"},
    FieldSpec{"version", string, true, "version of the daemon"},
    FieldSpec{"protocol", integer, true, "version of this protocol: 1"},
    FieldSpec{"pid", integer, true, "process id of the daemon"},
    FieldSpec{"capabilities", strings, true, "methods and features (`progress`, `cancel`)"},
};
constexpr std::array kHelloParams{
    FieldSpec{"client", string, false, "name and version of the client, for the log"},
    FieldSpec{"protocol", integer, false, "protocol the client speaks; 1 when left out"},
};
constexpr std::array kStatusResult{
    FieldSpec{"version", string, true, "version of the daemon"},
    FieldSpec{"pid", integer, true, "process id"},
    FieldSpec{"uptime_s", number, true, "seconds since start"},
    FieldSpec{"mode", string, true, "`gpu`, `sim`, `fixture`, or `static` when nothing is usable"},
    FieldSpec{"device", string, true, "what measures, empty without one"},
    FieldSpec{"note", string, true, "why the mode is not better, and the way out"},
    FieldSpec{"state_directory", string, true, "log, base and lock"},
    FieldSpec{"queued", integer, true, "jobs waiting"},
    FieldSpec{"running", integer, true, "jobs at work"},
    FieldSpec{"connections", integer, true, "clients connected, this one included"},
    FieldSpec{"degraded", boolean, true, "the base is read-only; see `kb.stats`"},
    FieldSpec{"jobs", strings, true, "one line a job, newest first"},
    FieldSpec{"lanes", strings, true, "one line a lane: its job, and how busy it was so far"},
};
constexpr std::array kDirectoryParams{
    FieldSpec{"directory", string, true, "absolute path of the task folder"},
};
constexpr std::array kValidateResult{
    FieldSpec{"task_id", string, true, "`t-` and 16 hex digits: hash of what is asked"},
    FieldSpec{"name", string, true, "name of the task"},
    FieldSpec{"workloads", strings, true, "names of the workloads"},
    FieldSpec{"warnings", strings, true, "what is allowed but probably not meant"},
};
constexpr std::array kSubmitParams{
    FieldSpec{"directory", string, true, "absolute path of the task folder"},
    FieldSpec{"evaluations", integer, false, "candidates to judge; default `episode.evaluations`"},
    FieldSpec{"seconds", number, false, "wall time, s; default `episode.seconds`"},
    FieldSpec{"provider", string, false,
              "`auto`, `gpu`, `sim` or `fixture`; default `lab.provider`"},
    FieldSpec{"proposer", string, false, "`builtin` (default), `llm`, `external` or `replay`"},
    FieldSpec{"replay_file", string, false, "absolute path of the candidates, for `replay`"},
    FieldSpec{"fixture_directory", string, false,
              "absolute path of the recording, for `fixture`; default `lab.fixture_directory`"},
    FieldSpec{
        "device", string, false,
        "for `sim`: key of the device table to predict for; default `lab.target`. For `gpu`: what "
        "to measure on, as `sm_90`, a key or a driver's name; default any"},
    FieldSpec{"watch", boolean, false, "send `task.progress` on this connection"},
    FieldSpec{"policy", string, false,
              "of the search: `greedy`, `fsr`, `mcgs`, `evolve`, `turns` or `auto`; default "
              "`episode.policy`"},
    FieldSpec{"workers", integer, false,
              "candidates written at the same time; default `episode.workers`"},
    FieldSpec{"seed", integer, false, "of the search; default drawn from the episode's name"},
    FieldSpec{"model", string, false,
              "for `llm`: name that the endpoint knows, `rules:FILE` or `replay:FILE`; default "
              "`llm.model`"},
    FieldSpec{"tokens", integer, false,
              "of language models, input and output; 0 = no limit; default `episode.tokens`"},
    FieldSpec{"usd", number, false,
              "for language models, US dollars; 0 = no limit; default `episode.usd`"},
    FieldSpec{"gpu_seconds", number, false, "spent in the lab, s; 0 = no limit (default)"},
    FieldSpec{"effort", string, false,
              "of the lab: `quick`, `normal` or `strict`; default `lab.effort`"},
};
/// The same without a folder: what is decided before a task is there.
constexpr std::array kAdmitParams = [] {
  auto fields = kSubmitParams;
  fields[0] = FieldSpec{"directory", string, false, "not looked at"};
  return fields;
}();
constexpr std::array kSubmitResult{
    FieldSpec{"job_id", string, true, "`j-` and 10 digits; the job is durable"},
    FieldSpec{"ahead", integer, true, "jobs that come before it"},
};
constexpr std::array kJobParams{
    FieldSpec{"job_id", string, true, "`j-` and 10 digits"},
};
constexpr std::array kStatusParams{
    FieldSpec{"job_id", string, true, "`j-` and 10 digits"},
    FieldSpec{"watch", boolean, false, "also send `task.progress` on this connection"},
};
constexpr std::array kTaskStatusResult{
    FieldSpec{"job_id", string, true, "`j-` and 10 digits"},
    FieldSpec{"state", string, true, "`queued`, `running`, `done`, `failed`, `cancelled`"},
    FieldSpec{"task", string, true, "name of the task"},
    FieldSpec{"step", integer, true, "candidates judged so far"},
    FieldSpec{"steps", integer, true, "candidates in the budget"},
    FieldSpec{"best_ratio", number, true, "baseline time / best time so far"},
    FieldSpec{"activity", string, true, "what is being done, for a person"},
    FieldSpec{"error", string, true, "when failed: why"},
};
constexpr std::array kCancelResult{
    FieldSpec{"state", string, true, "`cancelled`, or `running`: it ends soon after"},
};
constexpr std::array kResultResult{
    FieldSpec{"job", job, true, "the job; with `episode` and `receipt` when there are any"},
};
constexpr std::array kProgressFields{
    FieldSpec{"job_id", string, true, "`j-` and 10 digits"},
    FieldSpec{"state", string, true, "a final state ends the stream"},
    FieldSpec{"step", integer, true, "candidates judged so far"},
    FieldSpec{"steps", integer, true, "candidates in the budget"},
    FieldSpec{"best_ratio", number, true, "baseline time / best time so far"},
    FieldSpec{"line", string, true, "for a person, one line"},
    FieldSpec{"candidate", integer, true, "that is worked at, from 1; 0 = the given kernel"},
    FieldSpec{"technique", string, true, "of that candidate; empty for the given kernel"},
    FieldSpec{"stage", string, true,
              "what is being done to it now, as `building` or `measuring`; empty = nothing"},
    FieldSpec{"milestone", boolean, true,
              "worth a line in a log: a kernel was judged, or memory was asked"},
};
constexpr std::array kShutdownParams{
    FieldSpec{"mode", string, false,
              "`park` (default): requeue the running job; `finish`: let it end"},
};
constexpr std::array kCancelRequestParams{
    FieldSpec{"id", id, true, "id of a request of this connection"},
};

constexpr std::span<const FieldSpec> kNone;

constexpr std::array kFirstMethods{
    MethodSpec{"greeting", MethodKind::server_notification,
               "First line on every connection, before anything is asked.", kGreetingFields, kNone},
    MethodSpec{"hello", MethodKind::request,
               "Says who the client is; answers the greeting again. Error `conflict` when the "
               "protocol differs.",
               kHelloParams, kGreetingFields},
    MethodSpec{"status", MethodKind::request, "What the daemon is and does.", kNone, kStatusResult},
    MethodSpec{"task.validate", MethodKind::request,
               "Reads a task folder and checks it, without running anything.", kDirectoryParams,
               kValidateResult},
    MethodSpec{"task.admit",
               MethodKind::request,
               "Whether `task.submit` would take a job with these parameters: the error that it "
               "would give, or an empty answer. Nothing is queued.",
               kAdmitParams,
               {}},
    MethodSpec{"task.submit", MethodKind::request,
               "Queues a task. When the answer comes, the job survives a power cut.", kSubmitParams,
               kSubmitResult},
    MethodSpec{"task.status", MethodKind::request, "Where a job stands.", kStatusParams,
               kTaskStatusResult},
    MethodSpec{"task.cancel", MethodKind::request,
               "Ends a job: a queued one at once, a running one soon. Error `conflict` when it "
               "has ended.",
               kJobParams, kCancelResult},
    MethodSpec{"task.result", MethodKind::request,
               "The job with everything that is stored about it, finished or not.", kJobParams,
               kResultResult},
    MethodSpec{"task.progress", MethodKind::server_notification,
               "Sent to connections that watch a job. A client that does not read is dropped.",
               kProgressFields, kNone},
};
constexpr std::array kLastMethods{
    MethodSpec{"shutdown", MethodKind::request,
               "Ends the daemon: no new connections and jobs, then the running job is parked or "
               "finished.",
               kShutdownParams, kNone},
    MethodSpec{"$/cancelRequest", MethodKind::client_notification,
               "Gives up a request: it is answered with error `cancelled`, or with its result when "
               "that was ready first.",
               kCancelRequestParams, kNone},
};

std::vector<MethodSpec> all_methods() {
  std::vector<MethodSpec> all(kFirstMethods.begin(), kFirstMethods.end());
  for (const auto group :
       {kernel_methods(), flops_methods(), program_task_methods(), analysis_methods(),
        guest_methods(), record_methods(), queue_methods(), editor_methods(), dashboard_methods(),
        knowledge_methods(), log_methods(), std::span<const MethodSpec>(kLastMethods)}) {
    all.insert(all.end(), group.begin(), group.end());
  }
  return all;
}

std::string_view type_name(FieldType type) {
  switch (type) {
    case string: return "string";
    case integer: return "integer";
    case number: return "number";
    case boolean: return "boolean";
    case strings: return "array of strings";
    case counts: return "object of integers";
    case numbers: return "object of numbers";
    case texts: return "object of strings";
    case object: return "object";
    case objects: return "array of objects";
    case job: return "object (job)";
    case id: return "integer or string";
  }
  return "?";
}

bool fits(FieldType type, const nlohmann::json& value) {
  switch (type) {
    case string: return value.is_string();
    case integer:
      // Larger unsigned values would turn negative in int64.
      return value.is_number_integer() &&
             (!value.is_number_unsigned() || value.get<std::uint64_t>() <= INT64_MAX);
    case number: return value.is_number();
    case boolean: return value.is_boolean();
    case strings:
    case objects: return value.is_array();
    case counts:
    case numbers:
    case texts:
    case object:
    case job: return value.is_object();
    case id: return value.is_number_integer() || value.is_string();
  }
  return false;
}

/// Levenshtein distance: how many edits a typing mistake is away.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

template <class Specs>
std::string_view nearest(const Specs& specs, std::string_view name) {
  std::string_view best;
  std::size_t best_distance = SIZE_MAX;
  for (const auto& spec : specs) {
    const std::size_t d = distance(spec.name, name);
    if (d < best_distance) {
      best_distance = d;
      best = spec.name;
    }
  }
  return best;
}

void render_fields(std::string& text, std::string_view title, std::span<const FieldSpec> fields,
                   bool requirement) {
  if (fields.empty()) {
    text += std::string(title) + ": none.\n\n";
    return;
  }
  text += requirement ? "| " + std::string(title) + " | type | | meaning |\n|---|---|---|---|\n"
                      : "| " + std::string(title) + " | type | meaning |\n|---|---|---|\n";
  for (const auto& field : fields) {
    text += "| `" + std::string(field.name) + "` | " + std::string(type_name(field.type)) + " | ";
    if (requirement) text += field.required ? "required | " : "optional | ";
    text += std::string(field.doc) + " |\n";
  }
  text += '\n';
}

}  // namespace

std::span<const MethodSpec> methods() {
  static const std::vector<MethodSpec> all = all_methods();
  return all;
}

const MethodSpec* find_method(std::string_view name) {
  const auto all = methods();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [name](const MethodSpec& spec) { return spec.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string unknown_method_message(std::string_view name) {
  std::vector<MethodSpec> callable;
  for (const auto& spec : methods()) {
    if (spec.kind != MethodKind::server_notification) callable.push_back(spec);
  }
  return "unknown method " + quoted_name(name) + "; did you mean '" +
         std::string(nearest(callable, name.substr(0, 64))) + "'?";
}

Result<void> check_params(const MethodSpec& method, const Document& params) {
  const auto& object = params.json();
  if (object.is_object()) {
    for (const auto& [name, value] : object.items()) {
      const auto* field =
          std::find_if(method.params.data(), method.params.data() + method.params.size(),
                       [&name = name](const FieldSpec& spec) { return spec.name == name; });
      if (field == method.params.data() + method.params.size()) {
        return fail(
            Errc::invalid_argument,
            method.params.empty()
                ? std::string(method.name) + " takes no parameters, but got " + quoted_name(name)
                : std::string(method.name) + " has no parameter " + quoted_name(name) +
                      "; did you mean '" + std::string(nearest(method.params, name.substr(0, 64))) +
                      "'?");
      }
      if (value.is_null() && !field->required) continue;
      if (!fits(field->type, value)) {
        return fail(Errc::invalid_argument, "parameter '" + name + "' of " +
                                                std::string(method.name) + " must be of type " +
                                                std::string(type_name(field->type)) + ", not " +
                                                value.type_name());
      }
    }
  }
  for (const auto& field : method.params) {
    if (!field.required || (object.is_object() && object.contains(field.name))) continue;
    return fail(Errc::invalid_argument, std::string(method.name) + " needs the parameter '" +
                                            std::string(field.name) +
                                            "': " + std::string(field.doc));
  }
  return {};
}

std::string render_methods() {
  std::string text;
  for (const auto& spec : methods()) {
    text += "### `" + std::string(spec.name) + "`";
    if (spec.kind == MethodKind::server_notification) text += " (notification from the daemon)";
    if (spec.kind == MethodKind::client_notification) text += " (notification from the client)";
    text += "\n" + std::string(spec.doc) + "\n\n";
    render_fields(text, "params", spec.params, spec.kind != MethodKind::server_notification);
    if (spec.kind == MethodKind::request) render_fields(text, "result", spec.result, false);
  }
  while (text.ends_with("\n\n")) text.pop_back();
  return text;
}

}  // namespace warpmind::daemon::protocol
