#pragma once
/// \file
/// The queue on the wire (`queue.*`), as values. Names on the wire are the field names. Amounts go
/// by name: `evaluations`, `seconds`, `gpu_seconds`, `tokens`, `usd`.

#include "base/model/job.h"
#include "daemon/protocol/job_outcome.h"
#include "daemon/protocol/messages.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

/// A task for the background.
struct QueueAddParams : JobOptions {
  std::string directory;
  std::string user;
  std::optional<std::int64_t> priority;
  std::vector<std::string> after;
  std::optional<std::int64_t> not_before;
  std::optional<std::int64_t> deadline;
  std::string every;

  static void describe(auto& self, auto& field) {
    field.required("directory", self.directory, "absolute path of the task folder");
    JobOptions::describe(self, field);
    field.optional("user", self.user,
                   Option{.text = "whose job it is: shares go by it",
                          .value = "NAME",
                          .fallback = "the daemon's user",
                          .help = "whose jobs they are"});
    field.optional("priority", self.priority,
                   Option{.text = "-100 to 100; higher runs first",
                          .value = "N",
                          .fallback = "0",
                          .limits = {.least = -100, .most = 100}});
    field.optional(
        "after", self.after,
        Option{.text = "jobs that must finish first", .value = "JOB", .also = "; repeatable"});
    field.optional("not_before", self.not_before, "earliest start, ms since 1970-01-01 UTC");
    field.optional("deadline", self.deadline,
                   "not begun by then, it fails; ms since 1970-01-01 UTC");
    field.optional("every", self.every,
                   Option{.text = "repeat: `24h`, `90m`, `7d` or `daily@22:00` (local time); the "
                                  "next job is queued when one has ended",
                          .value = "INTERVAL"});
  }
};
struct QueueAddResult {
  std::string job_id;
  std::int64_t ahead = 0;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "`j-` and 10 digits; the job is durable");
    field.required("ahead", self.ahead, "jobs that come before it as things stand");
  }
};

struct QueueListParams {
  std::optional<std::int64_t> limit;

  static void describe(auto& self, auto& field) {
    field.optional("limit", self.limit, "jobs that are listed, 1 to 10000; default 100");
  }
};
/// A job that waits or runs, and why it does not run yet.
struct QueueJob {
  std::string job_id;
  JobState state = JobState::queued;
  std::string task;
  std::string user;
  std::int64_t priority = 0;
  bool background = true;
  bool held = false;
  double value = 0;
  std::string why;
  std::string lane = {};
  std::string every = {};
  bool proposed = false;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id);
    field.required("state", self.state);
    field.required("task", self.task);
    field.required("user", self.user);
    field.required("priority", self.priority);
    field.required("background", self.background);
    field.required("held", self.held);
    field.required("value", self.value, "expected, per second of the device");
    field.required("why", self.why, "that it does not run; what it does when it runs");
    field.required("lane", self.lane, "on which it runs; empty = on none");
    field.required("every", self.every, "of a job that recurs");
    field.required("proposed", self.proposed, "the daemon thought of it");
  }
};
struct QueueLane {
  std::string name;
  std::string device;
  std::string model;
  std::string job_id;
  double busy = 0;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name, "\"gpu 0\", \"sim\"; \"lane 0\" where it is the only one");
    field.required("device", self.device,
                   "as CUDA_VISIBLE_DEVICES names it; empty = none of its own");
    field.required("model", self.model);
    field.required("job_id", self.job_id, "that has it; empty = none");
    field.required("busy", self.busy,
                   "share of the time since the daemon's start in which it had a job");
  }
};
struct QueueListResult {
  std::string night;
  bool quiet = false;
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::vector<QueueJob> jobs;
  std::vector<QueueLane> lanes = {};

  static void describe(auto& self, auto& field) {
    field.required("night", self.night, "date of its evening; a night ends at noon, local time");
    field.required("quiet", self.quiet, "these are quiet hours");
    field.required("waiting", self.waiting, "jobs that wait");
    field.required("running", self.running, "jobs that run");
    field.required(
        "jobs", self.jobs,
        "those that run, then the next first: `job_id`, `state`, `task`, `user`, `priority`, "
        "`background`, `held`, `value`, `why`, `lane`, `every`, `proposed` (the daemon thought "
        "of it)");
    field.required(
        "lanes", self.lanes,
        "`name`, `device` (as CUDA_VISIBLE_DEVICES names it), `model`, `job_id` (that has it), "
        "`busy` (share of the time since the daemon's start)");
  }
};

/// queue.pause, queue.resume, queue.cancel, queue.retry.
struct QueueJobsParams {
  std::vector<std::string> job_ids;
  bool all = false;

  static void describe(auto& self, auto& field) {
    field.optional("job_ids", self.job_ids, "`j-` and 10 digits each");
    field.optional(
        "all", self.all,
        "every job of the background that waits; for `queue.retry` every job of the newest "
        "night that failed");
  }
};
struct QueueJobsResult {
  std::vector<std::string> changed;
  std::vector<std::string> refused;

  static void describe(auto& self, auto& field) {
    field.required("changed", self.changed, "jobs for which it was done");
    field.required("refused", self.refused, "one sentence for each other job");
  }
};

struct QueueMoveParams {
  std::string job_id;
  std::int64_t priority = 0;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "`j-` and 10 digits");
    field.required("priority", self.priority, "-100 to 100, higher first");
  }
};

struct QueueWhyParams {
  std::string job_id;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "`j-` and 10 digits");
  }
};
struct QueueWhyResult {
  std::string job_id;
  std::string why;
  double value = 0;
  std::string worth;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "`j-` and 10 digits");
    field.required("why", self.why, "why it does not run, or what became of it");
    field.required("value", self.value, "expected worth per second of the device");
    field.required("worth", self.worth, "how that was made up; empty for a job that does not wait");
  }
};

/// What is absent stays; an amount of 0 takes the limit away.
struct QueueRulesParams {
  std::optional<std::string> quiet_hours;
  std::map<std::string, double> night;
  std::map<std::string, double> user;

  static void describe(auto& self, auto& field) {
    field.optional("quiet_hours", self.quiet_hours,
                   "`08:00-19:00`, local time: nothing of the background runs then; empty = never");
    field.optional(
        "night", self.night,
        "most that one night may spend: `evaluations`, `seconds`, `gpu_seconds`, `tokens`, "
        "`usd`; 0 = no limit");
    field.optional("user", self.user, "most that one user may spend in one night");
  }
};
struct QueueRulesResult {
  std::string quiet_hours;
  bool quiet = false;
  std::string night;
  std::map<std::string, double> night_limits;
  std::map<std::string, double> night_spent;
  std::map<std::string, double> night_left;
  std::map<std::string, double> user_limits;
  std::map<std::string, double> user_spent;

  static void describe(auto& self, auto& field) {
    field.required("quiet_hours", self.quiet_hours, "as set");
    field.required("quiet", self.quiet, "these are quiet hours");
    field.required("night", self.night, "the night of now");
    field.required("night_limits", self.night_limits, "0 = none");
    field.required("night_spent", self.night_spent, "spent, and reserved by what runs");
    field.required("night_left", self.night_left, "of what has a limit");
    field.required("user_limits", self.user_limits, "0 = none");
    field.required("user_spent", self.user_spent, "by the daemon's user");
  }
};

struct QueueReportParams {
  std::string night;
  std::vector<std::string> job_ids = {};

  static void describe(auto& self, auto& field) {
    field.optional("night", self.night, "`2026-11-24`; default the newest that there is");
    field.optional("job_ids", self.job_ids,
                   "any jobs instead of a night, in the order to show them");
  }
};
/// A candidate whose gain was predicted, and compared.
struct QueueReportPrediction {
  double predicted = 0;
  double low = 0;
  double high = 0;
  double ratio = 0;

  static void describe(auto& self, auto& field) {
    field.required("predicted", self.predicted, "ratio");
    field.required("low", self.low, "interval in which 80 % should lie");
    field.required("high", self.high);
    field.required("ratio", self.ratio, "found");
  }
};
/// Where the given and the best kernel stand under the roofline of their device.
struct QueueReportRoofline {
  double intensity = 0;
  double given_gflops = 0;
  double best_gflops = 0;
  double peak_gflops = 0;
  double bandwidth_gb_s = 0;

  static void describe(auto& self, auto& field) {
    field.required("intensity", self.intensity, "flop a byte; 0 = not known");
    field.required("given_gflops", self.given_gflops);
    field.required("best_gflops", self.best_gflops, "as given_gflops when nothing was better");
    field.required("peak_gflops", self.peak_gflops);
    field.required("bandwidth_gb_s", self.bandwidth_gb_s);
  }
};
/// What the base learned or unlearned from a job.
struct QueueReportInsight {
  std::string insight;
  std::string change;
  std::string claim;
  std::string reason;
  std::string job_id;

  static void describe(auto& self, auto& field) {
    field.required("insight", self.insight, "id");
    field.required("change", self.change,
                   "`added`, `supported`, `contradicted`, or the state that it came to");
    field.required("claim", self.claim);
    field.required("reason", self.reason, "of a change of state");
    field.required("job_id", self.job_id);
  }
};
struct QueueReportJob : JobOutcome {
  std::string user;
  std::string provider;
  double ratio = 0;
  std::optional<double> low;
  std::optional<double> high;
  double confidence = 0;
  std::string error;
  bool dead = false;
  std::int64_t attempts = 0;
  Spent spent;
  std::vector<Attempt> history;
  std::vector<std::string> lessons;
  std::int64_t predicted = 0;
  std::int64_t covered = 0;
  std::string workload;
  std::map<std::string, std::int64_t> candidates;
  std::vector<QueueReportPrediction> predictions;
  QueueReportRoofline roofline;
  std::map<std::string, std::string> options = {};

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id);
    field.required("task", self.task);
    field.required("user", self.user);
    field.required("state", self.state);
    field.required("outcome", self.outcome, "of the episode; empty without one");
    field.required("provider", self.provider);
    field.required("ratio", self.ratio, "baseline time / best time; 0 = not compared");
    field.required("low", self.low, "null = low confidence, no interval");
    field.required("high", self.high);
    field.required("confidence", self.confidence);
    field.required("summary", self.summary);
    field.required("error", self.error);
    field.required("dead", self.dead);
    field.required("attempts", self.attempts);
    field.required("spent", self.spent);
    field.required("history", self.history);
    field.required("lessons", self.lessons);
    field.required("curve", self.curve, "best ratio after each candidate");
    field.required("predicted", self.predicted,
                   "candidates that were compared and had a predicted interval");
    field.required("covered", self.covered, "whose ratio lay inside it; 80 % should");
    field.required("device", self.device, "what was measured on, or predicted for");
    field.required("workload", self.workload, "that was timed");
    field.required("bottleneck", self.bottleneck, "of the given kernel");
    field.required("given_ns", self.given_ns, "one run of the given kernel");
    field.required("best_ns", self.best_ns, "of the best; 0 = nothing was better");
    field.required("how", self.how, "techniques that led to the best, in their order");
    field.required("candidates", self.candidates, "by outcome");
    field.required("predictions", self.predictions);
    field.required("roofline", self.roofline);
    field.required("options", self.options, "those that reports print, by name");
  }
};
struct QueueReportResult {
  std::string night;
  std::vector<std::string> nights;
  std::vector<QueueReportJob> jobs;
  Spent spent;
  Spent charged = {};
  std::map<std::string, std::int64_t> outcomes;
  std::map<std::string, double> night_limits;
  std::vector<QueueReportInsight> insights;

  static void describe(auto& self, auto& field) {
    field.required("night", self.night, "that it is about; empty when there was none");
    field.required("nights", self.nights, "the newest first, at most 30");
    field.required(
        "jobs", self.jobs,
        "in the order of acceptance: `job_id`, `task`, `user`, `state`, `outcome`, `provider`, "
        "`ratio`, `low` and `high` (null = low confidence), `confidence`, `summary`, `error`, "
        "`dead`, `attempts`, "
        "`spent`, `history`, `lessons`, `curve` (best ratio after each candidate), `predicted` "
        "and `covered` (candidates compared with their prediction, and those inside its 80 % "
        "interval), `device`, `workload`, `bottleneck`, `given_ns`, `best_ns` (0 = nothing was "
        "better), `how` (techniques that led to the best), `candidates` (counts by outcome), "
        "`predictions` (each with `predicted`, `low`, `high` and `ratio`), `roofline` "
        "(`intensity` in flop a byte, `given_gflops`, `best_gflops`, `peak_gflops`, "
        "`bandwidth_gb_s`; 0 = not known), `options` (those that reports print, by name)");
    field.required("spent", self.spent, "by all of them");
    field.required("charged", self.charged,
                   "of it, what counts against the limits: that of jobs of the background");
    field.required("outcomes", self.outcomes,
                   "of their episodes; `failed` and `cancelled` are jobs without one");
    field.required("night_limits", self.night_limits, "as they are set now; 0 = none");
    field.required(
        "insights", self.insights,
        "what the base learned and unlearned: `insight`, `change` (`added`, `supported`, "
        "`contradicted`, or the state that it came to), `claim`, `reason`, `job_id`");
  }
};

// --- Methods

inline constexpr Method<QueueAddParams, QueueAddResult> kQueueAdd{
    "queue.add",
    "Queues a task for the background: foreground jobs come first. When the "
    "answer comes, the job survives a power cut."};
inline constexpr Method<QueueListParams, QueueListResult> kQueueList{
    "queue.list", "What runs, and what comes next."};
inline constexpr Method<QueueJobsParams, QueueJobsResult> kQueuePause{
    "queue.pause", "Keeps waiting jobs from being started."};
inline constexpr Method<QueueJobsParams, QueueJobsResult> kQueueResume{
    "queue.resume", "Lets paused jobs go again."};
inline constexpr Method<QueueJobsParams, QueueJobsResult> kQueueCancel{
    "queue.cancel", "Ends jobs: those that wait at once, one that runs at its next step."};
inline constexpr Method<QueueMoveParams, Empty> kQueueMove{"queue.move",
                                                           "Gives a waiting job another priority."};
inline constexpr Method<QueueJobsParams, QueueJobsResult> kQueueRetry{
    "queue.retry",
    "Queues jobs again that failed, or were cancelled before anything was measured."};
inline constexpr Method<QueueWhyParams, QueueWhyResult> kQueueWhy{
    "queue.why", "Why a job does not run, or what became of it."};
inline constexpr Method<QueueRulesParams, QueueRulesResult> kQueueRules{
    "queue.rules",
    "Quiet hours and budgets: sets what is given, answers all of it with what is left."};
inline constexpr Method<QueueReportParams, QueueReportResult> kQueueReport{
    "queue.report", "What the jobs of a night did."};

[[nodiscard]] std::vector<MethodSpec> queue_methods();

}  // namespace warpmind::daemon::protocol
