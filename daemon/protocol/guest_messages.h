#pragma once
/// \file
/// Episodes whose candidates come from outside (`episode.open`, `brief`, `submit`, `close`), as
/// values. Names on the wire are the field names. docs/external.md has a session.

#include "base/launch_profile.h"
#include "base/model/advice.h"
#include "base/model/device.h"
#include "base/model/episode.h"
#include "base/model/job.h"
#include "daemon/protocol/messages.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

struct EpisodeOpenParams {
  std::string directory;
  std::optional<std::int64_t> evaluations;
  std::optional<double> seconds;
  std::string provider;
  std::string device;
  std::optional<double> gpu_seconds;
  std::string effort = {};

  static void describe(auto& self, auto& field) {
    field.required("directory", self.directory, "absolute path of the task folder");
    field.optional(
        "evaluations", self.evaluations,
        Option{.text = "candidates to judge", .value = "N", .setting = "episode.evaluations"});
    field.optional("seconds", self.seconds,
                   "wall time, s; default a week: the lease ends it before");
    field.optional("provider", self.provider,
                   Option{.text = "as for `task.submit`",
                          .value = "NAME",
                          .setting = "lab.provider",
                          .help = "as for `warpmind optimize`",
                          .choices = kProviderNames});
    field.optional("device", self.device,
                   Option{.text = "as for `task.submit`",
                          .value = "DEVICE",
                          .help = "as for `warpmind optimize`"});
    field.optional(
        "gpu_seconds", self.gpu_seconds,
        Option{.text = "most lab time, seconds; 0 = no limit", .value = "S", .fallback = "0"});
    field.optional("effort", self.effort,
                   Option{.text = "as for `task.submit`",
                          .value = "NAME",
                          .setting = "lab.effort",
                          .help = "as for `warpmind optimize`",
                          .choices = kEffortNames});
  }
};

struct EpisodeParams {  ///< episode.brief
  std::string job_id;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "`j-` and 10 digits");
  }
};

/// What to know before the next candidate is written; answer of open and brief.
struct EpisodeBriefResult {
  std::string job_id;
  std::string episode_id;
  std::int64_t step = 0;
  Kernel kernel;
  double best_ratio = 1;
  Bottleneck bottleneck;
  std::vector<Metric> metrics;
  Advice advice;
  DeviceSpec device;
  std::string gradient;
  std::string contract;
  std::vector<std::string> forbidden;
  std::int64_t evaluations_left = 0;
  double lease_s = 0;
  std::vector<LaunchRow> launches = {};

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "of the job");
    field.required("episode_id", self.episode_id, "of the episode");
    field.required("step", self.step, "whose kernel is the one to edit: the best so far");
    field.required("kernel", self.kernel, "that kernel: source, launch plan, build flags");
    field.required("best_ratio", self.best_ratio, "time of the given kernel / time of that one");
    field.required("bottleneck", self.bottleneck, "what limits it, by which metrics");
    field.required("metrics", self.metrics, "of the launch with the largest share of time");
    field.required("advice", self.advice, "techniques and insights, best first");
    field.required("device", self.device, "its row of the device table");
    field.required("gradient", self.gradient,
                   "what the newest step taught; empty before the first");
    field.required("contract", self.contract, "what the result must satisfy, in words");
    field.required("forbidden", self.forbidden, "what is refused");
    field.required("evaluations_left", self.evaluations_left,
                   "candidates that will still be judged");
    field.required("lease_s", self.lease_s,
                   "s from now until the episode is closed without a call; each call renews it");
    field.required(
        "launches", self.launches,
        "of that kernel, in launch order: each as a side of a pair in `episode.profile`");
  }
};

struct EpisodeSubmitParams {
  std::string job_id;
  std::optional<std::string> source;
  std::optional<LaunchPlan> plan;
  std::optional<std::vector<std::string>> build_flags;
  std::optional<std::int64_t> edits;
  std::string technique;
  std::string parameters;
  std::string rationale;
  std::optional<double> predicted_gain;
  std::string author;
  std::string model;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "`j-` and 10 digits");
    field.optional("source", self.source, "CUDA C++; default that of the edited kernel");
    field.optional("plan", self.plan, "launch plan, whole; default that of the edited kernel");
    field.optional("build_flags", self.build_flags, "default those of the edited kernel");
    field.optional("edits", self.edits, "step whose kernel was edited; default the best so far");
    field.optional("technique", self.technique, "what was done, a name of `kb.techniques`");
    field.optional("parameters", self.parameters, "of the technique, `block=256x1x1`");
    field.optional("rationale", self.rationale, "why, one sentence");
    field.optional("predicted_gain", self.predicted_gain,
                   "expected factor over the edited kernel; default 1");
    field.optional("author", self.author, "who wrote it, for provenance");
    field.optional("model", self.model, "language model that wrote it");
  }
};

struct EpisodeSubmitResult {
  std::string job_id;
  std::int64_t step = 0;
  Verdict verdict;
  std::optional<Comparison> promotion;
  std::optional<Gradient> gradient;
  bool accepted = false;
  bool known = false;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "of the job");
    field.required("step", self.step, "as which it is recorded");
    field.required("verdict", self.verdict,
                   "outcome, reason, stages, comparison with the edited kernel");
    field.optional("promotion", self.promotion,
                   "comparison with the best kernel, where that is another");
    field.optional("gradient", self.gradient,
                   "predicted against measured, metrics that moved, advice");
    field.required("accepted", self.accepted, "it is the best kernel now");
    field.required(
        "known", self.known,
        "the same kernel, or one with the same plan and machine code, was judged before, as "
        "that step");
  }
};

struct EpisodeCloseParams {
  std::string job_id;
  std::string reason;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "`j-` and 10 digits");
    field.optional("reason", self.reason, "why it ends, for the record");
  }
};

struct EpisodeCloseResult {
  std::string job_id;
  std::string episode_id;
  Outcome outcome = Outcome::same;
  std::string summary;
  std::int64_t candidates = 0;
  std::int64_t best_step = 0;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "of the job; `task.result` has the episode");
    field.required("episode_id", self.episode_id, "of the episode");
    field.required("outcome", self.outcome, "`improved`, `same` …");
    field.required("summary", self.summary, "one sentence");
    field.required("candidates", self.candidates, "judged");
    field.required("best_step", self.best_step, "step of the best kernel; 0 = the given one");
  }
};

// --- Methods

inline constexpr Method<EpisodeOpenParams, EpisodeBriefResult> kEpisodeOpen{
    "episode.open",
    "Opens an episode whose candidates the caller writes, judges the given kernel and returns "
    "the brief. Several callers may submit to one episode."};
inline constexpr Method<EpisodeParams, EpisodeBriefResult> kEpisodeBrief{
    "episode.brief",
    "The brief of an open episode as it is now. Error `conflict` when it is closed."};
inline constexpr Method<EpisodeSubmitParams, EpisodeSubmitResult> kEpisodeSubmit{
    "episode.submit",
    "Judges a candidate; answers when its step is stored. Takes as long as a measurement. "
    "Error `unavailable` when the budget is spent."};
inline constexpr Method<EpisodeCloseParams, EpisodeCloseResult> kEpisodeClose{
    "episode.close", "Ends the episode and writes back what it taught."};

[[nodiscard]] std::vector<MethodSpec> guest_methods();

}  // namespace warpmind::daemon::protocol
