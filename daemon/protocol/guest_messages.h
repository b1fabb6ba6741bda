#pragma once
/// \file
/// Episodes whose candidates come from outside (`episode.open`, `brief`, `submit`, `close`), as
/// values. Names on the wire are the field names. docs/external.md has a session.

#include "base/model/episode.h"
#include "base/model/external_episode.h"
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

struct EpisodeSubmitParams : Submission {
  std::string job_id;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "`j-` and 10 digits");
    Submission::describe(self, field);
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

inline constexpr Method<EpisodeOpenParams, EpisodeBrief> kEpisodeOpen{
    "episode.open",
    "Opens an episode whose candidates the caller writes, judges the given kernel and returns "
    "the brief. Several callers may submit to one episode."};
inline constexpr Method<EpisodeParams, EpisodeBrief> kEpisodeBrief{
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
