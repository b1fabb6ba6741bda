#pragma once
/// \file
/// The methods of the wire as values. Names on the wire are the field names. Formats, limits and
/// error codes: docs/protocol.md, which a test holds to daemon/protocol/method_table.

#include "base/job_control.h"
#include "base/model/episode.h"
#include "base/model/job.h"
#include "daemon/protocol/method.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

inline constexpr std::int64_t kProtocolVersion = 1;

/// Of a method that takes or answers nothing.
struct Empty {
  static void describe(auto& /*self*/, auto& /*field*/) {}
};

/// First line from the daemon on every connection (notification `greeting`), and result of `hello`.
struct Greeting {
  std::string server = "warpmindd";
  std::string version;
  std::int64_t protocol = kProtocolVersion;
  std::int64_t pid = 0;
  std::vector<std::string> capabilities;

  static void describe(auto& self, auto& field) {
    field.required("server", self.server, "`warpmindd`");
    field.required("version", self.version, "version of the daemon");
    field.required("protocol", self.protocol, "version of this protocol: 1");
    field.required("pid", self.pid, "process id of the daemon");
    field.required("capabilities", self.capabilities,
                   "methods and features (`progress`, `cancel`)");
  }
};

struct HelloParams {
  std::string client;
  std::int64_t protocol = kProtocolVersion;

  static void describe(auto& self, auto& field) {
    field.optional("client", self.client, "name and version of the client, for the log");
    field.optional("protocol", self.protocol, "protocol the client speaks; 1 when left out");
  }
};

struct StatusResult {
  std::string version;
  std::int64_t pid = 0;
  double uptime_s = 0;
  std::string mode;
  std::string device;
  std::string note;
  std::string state_directory;
  std::int64_t queued = 0;
  std::int64_t running = 0;
  std::int64_t connections = 0;
  bool degraded = false;
  std::vector<std::string> jobs;
  std::vector<std::string> lanes = {};

  static void describe(auto& self, auto& field) {
    field.required("version", self.version, "version of the daemon");
    field.required("pid", self.pid, "process id");
    field.required("uptime_s", self.uptime_s, "seconds since start");
    field.required("mode", self.mode,
                   "`gpu`, `sim`, `fixture`, or `static` when nothing is usable");
    field.required("device", self.device, "what measures, empty without one");
    field.required("note", self.note, "why the mode is not better, and the way out");
    field.required("state_directory", self.state_directory, "log, base and lock");
    field.required("queued", self.queued, "jobs waiting");
    field.required("running", self.running, "jobs at work");
    field.required("connections", self.connections, "clients connected, this one included");
    field.required("degraded", self.degraded, "the base is read-only; see `kb.stats`");
    field.required("jobs", self.jobs, "one line a job, newest first");
    field.required("lanes", self.lanes, "one line a lane: its job, and how busy it was so far");
  }
};

struct TaskValidateParams {
  std::string directory;

  static void describe(auto& self, auto& field) {
    field.required("directory", self.directory, "absolute path of the task folder");
  }
};
struct TaskValidateResult {
  std::string task_id;
  std::string name;
  std::vector<std::string> workloads;
  std::vector<std::string> warnings;

  static void describe(auto& self, auto& field) {
    field.required("task_id", self.task_id, "`t-` and 16 hex digits: hash of what is asked");
    field.required("name", self.name, "name of the task");
    field.required("workloads", self.workloads, "names of the workloads");
    field.required("warnings", self.warnings, "what is allowed but probably not meant");
  }
};

/// What a job can be given besides its task: by a command, an editor or a queue's file. Here are
/// those that a job keeps in another form (Budget, Provider, Effort).
struct JobOptions : KeptOptions {
  std::optional<std::int64_t> evaluations = {};
  std::optional<double> seconds = {};
  std::string provider = {};
  std::optional<std::int64_t> tokens = {};
  std::optional<double> usd = {};
  std::optional<double> gpu_seconds = {};
  std::string effort = {};

  static void describe(auto& self, auto& field) {
    describe_budget(self, field);
    field.optional("provider", self.provider,
                   Option{.text = "`gpu` measures, `sim` predicts in the simulator, `fixture` "
                                  "replays recorded verdicts, `auto` is `gpu` where there is one "
                                  "and `sim` elsewhere",
                          .value = "NAME",
                          .heading = "Judging",
                          .setting = "lab.provider",
                          .choices = kProviderNames});
    KeptOptions::describe(self, field);
    describe_spending(self, field);
    field.optional("effort", self.effort,
                   Option{.text = "how much a kernel is checked: `quick` checks less and is marked "
                                  "so, `strict` checks more",
                          .value = "NAME",
                          .heading = "Judging",
                          .setting = "lab.effort",
                          .choices = kEffortNames});
  }

 private:
  static void describe_budget(auto& self, auto& field) {
    // A baseline alone, 0 candidates, can be asked for on the wire only.
    field.optional("evaluations", self.evaluations,
                   Option{.text = "candidates to judge",
                          .value = "N",
                          .heading = "Budget",
                          .setting = "episode.evaluations"});
    field.optional("seconds", self.seconds,
                   Option{.text = "wall time, seconds",
                          .value = "S",
                          .heading = "Budget",
                          .setting = "episode.seconds",
                          .limits = {.above = 0, .most = 604'800}});
  }
  static void describe_spending(auto& self, auto& field) {
    field.optional("tokens", self.tokens,
                   Option{.text = "most tokens of language models, input and output; 0 = no limit",
                          .value = "N",
                          .heading = "Budget",
                          .setting = "episode.tokens",
                          .limits = {.least = 0, .most = 1e12}});
    field.optional("usd", self.usd,
                   Option{.text = "most US dollars for language models; 0 = no limit",
                          .value = "X",
                          .heading = "Budget",
                          .setting = "episode.usd",
                          .limits = {.least = 0, .most = 1e6}});
    field.optional("gpu_seconds", self.gpu_seconds,
                   Option{.text = "most lab time, seconds; 0 = no limit",
                          .value = "S",
                          .heading = "Budget",
                          .fallback = "0",
                          .limits = {.least = 0, .most = 604'800}});
  }
};

struct TaskSubmitParams : JobOptions {
  std::string directory;
  bool watch = false;

  static void describe(auto& self, auto& field) {
    field.required("directory", self.directory, "absolute path of the task folder");
    JobOptions::describe(self, field);
    field.optional("watch", self.watch, "send `task.progress` on this connection");
  }
};
/// The same without a folder: what is decided before a task is there.
struct TaskAdmitParams : JobOptions {
  std::string directory;
  bool watch = false;

  static void describe(auto& self, auto& field) {
    field.optional("directory", self.directory, "ignored");
    JobOptions::describe(self, field);
    field.optional("watch", self.watch, "send `task.progress` on this connection");
  }
};
struct TaskSubmitResult {
  std::string job_id;
  std::int64_t ahead = 0;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "`j-` and 10 digits; the job is durable");
    field.required("ahead", self.ahead, "jobs that come before it");
  }
};

struct JobParams {
  std::string job_id;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "`j-` and 10 digits");
  }
};
struct TaskStatusParams {
  std::string job_id;
  bool watch = false;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "`j-` and 10 digits");
    field.optional("watch", self.watch, "also send `task.progress` on this connection");
  }
};
struct TaskStatusResult {
  std::string job_id;
  JobState state = JobState::queued;
  std::string task;
  std::int64_t step = 0;
  std::int64_t steps = 0;
  double best_ratio = 1;
  std::string activity;
  std::string error;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "`j-` and 10 digits");
    field.required("state", self.state, "`queued`, `running`, `done`, `failed`, `cancelled`");
    field.required("task", self.task, "name of the task");
    field.required("step", self.step, "candidates judged so far");
    field.required("steps", self.steps, "candidates in the budget");
    field.required("best_ratio", self.best_ratio, "baseline time / best time so far");
    field.required("activity", self.activity, "what is being done, for a person");
    field.required("error", self.error, "when failed: why");
  }
};
struct TaskCancelResult {
  JobState state = JobState::cancelled;

  static void describe(auto& self, auto& field) {
    field.required("state", self.state, "`cancelled`, or `running`: it ends soon after");
  }
};
struct TaskResultResult {
  Job job;

  static void describe(auto& self, auto& field) {
    field.required("job", self.job, "the job; with `episode` and `receipt` when there are any");
  }
};

/// Notification `task.progress`; the last one of a job has a final state.
struct ProgressParams : JobProgress {
  std::string job_id;
  JobState state = JobState::running;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "`j-` and 10 digits");
    field.required("state", self.state, "a final state ends the stream");
    JobProgress::describe(self, field);
  }
};

/// The same as the first news of a job.
[[nodiscard]] ProgressParams progress_of(const TaskStatusResult& status);

enum class ShutdownMode { finish, park };
struct ShutdownParams {
  ShutdownMode mode = ShutdownMode::park;

  static void describe(auto& self, auto& field) {
    field.optional("mode", self.mode,
                   "`park` (default): requeue the running job; `finish`: let it end");
  }
};

// --- Methods

inline constexpr Method<Greeting, Empty> kGreeting{
    "greeting", "First line on every connection, before anything is asked.",
    MethodKind::server_notification};
inline constexpr Method<HelloParams, Greeting> kHello{
    "hello",
    "Says who the client is; answers the greeting again. Error `conflict` when the protocol "
    "differs."};
inline constexpr Method<Empty, StatusResult> kStatus{"status", "What the daemon is and does."};
inline constexpr Method<TaskValidateParams, TaskValidateResult> kTaskValidate{
    "task.validate", "Reads a task folder and checks it, without running anything."};
inline constexpr Method<TaskAdmitParams, Empty> kTaskAdmit{
    "task.admit",
    "Whether `task.submit` would take a job with these parameters: the error that it would give, "
    "or an empty answer. Nothing is queued."};
inline constexpr Method<TaskSubmitParams, TaskSubmitResult> kTaskSubmit{
    "task.submit", "Queues a task. When the answer comes, the job survives a power cut."};
inline constexpr Method<TaskStatusParams, TaskStatusResult> kTaskStatus{"task.status",
                                                                        "State of a job."};
inline constexpr Method<JobParams, TaskCancelResult> kTaskCancel{
    "task.cancel",
    "Ends a job: a queued one at once, a running one soon. Error `conflict` when it has ended."};
inline constexpr Method<JobParams, TaskResultResult> kTaskResult{
    "task.result", "The job with everything that is stored about it, finished or not."};
inline constexpr Method<ShutdownParams, Empty> kShutdown{
    "shutdown",
    "Ends the daemon: no new connections and jobs, then the running job is parked or finished."};
inline constexpr Method<ProgressParams, Empty> kTaskProgress{
    "task.progress",
    "Sent to connections that watch a job. A client that does not read is dropped.",
    MethodKind::server_notification};

/// All but those that end something.
[[nodiscard]] std::vector<MethodSpec> core_methods();
/// `shutdown` and `$/cancelRequest`: the end of the documents.
[[nodiscard]] std::vector<MethodSpec> last_methods();

}  // namespace warpmind::daemon::protocol

namespace warpmind {
WARPMIND_ENUM_NAMES(daemon::protocol::ShutdownMode,
                    {daemon::protocol::ShutdownMode::finish, "finish"},
                    {daemon::protocol::ShutdownMode::park, "park"});
}  // namespace warpmind
