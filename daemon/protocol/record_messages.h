#pragma once
/// \file
/// What episodes left behind, explained and exported (`episode.explain`, `export.*`), as values.
/// Names on the wire are the field names. Paths are absolute and the daemon's.

#include "base/model/advice.h"
#include "base/model/episode.h"
#include "base/model/export_counts.h"
#include "base/model/insight.h"
#include "base/model/job.h"
#include "daemon/protocol/messages.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind::daemon::protocol {

struct EpisodeExplainParams {
  std::string id;
  std::optional<std::int64_t> step;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id, "`e-` or `j-` and 10 digits, the bare number, or `last`");
    field.optional("step", self.step, "a step of the episode, 0 is the baseline; default all");
  }
};

/// An insight that retrieval had ready for a step, as it stands today.
struct ExplainedInsight : InsightSummary {
  bool known = false;
  bool operator==(const ExplainedInsight&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id);
    field.required("known", self.known, "false: no longer in the base, nothing below is filled");
    field.required("kind", self.kind);
    field.required("state", self.state);
    field.required("claim", self.claim);
    field.required("techniques", self.action.techniques);
    field.required("utility", self.utility);
  }
};

struct EpisodeExplainResult {
  std::string job_id;
  JobState state = JobState::done;
  Budget budget;
  Episode episode;
  std::vector<ExplainedInsight> insights;
  std::optional<std::int64_t> step;
  std::optional<FirstAdvice> advice = {};
  std::string inputs = {};

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id, "of the episode; empty when the job is gone");
    field.required("state", self.state, "of the job");
    field.required("budget", self.budget, "that the job was given");
    field.required("episode", self.episode, "as stored, every step");
    field.required(
        "insights", self.insights,
        "behind the exposures of the steps, each once and in its current state: `id`, `known` "
        "(false: gone), `kind`, `state`, `claim`, `techniques`, `utility`");
    field.optional("step", self.step, "that was asked for");
    field.optional(
        "advice", self.advice,
        "what to do first about the kernel that this step edited (of step 0: about the given "
        "kernel), as in `kernel.analyze`; null without a step, and where the base holds the "
        "episode without its task");
    field.required(
        "inputs", self.inputs,
        "of a task made of a recorded program: which inputs are as recorded, like the recorded "
        "values, or invented; else empty");
  }
};

struct ExportWriteParams {
  static constexpr std::array<std::string_view, 2> kFormats{"kevin", "chat"};
  static constexpr std::array<std::string_view, 3> kProviders{"gpu", "sim", "fixture"};

  std::string kind;
  std::string file;
  std::string format;
  std::string provider;
  std::optional<std::int64_t> since;
  std::optional<double> threshold;
  std::optional<double> balance;

  static void describe(auto& self, auto& field) {
    field.required("kind", self.kind, "`trajectories` or `concur` (docs/export.md)");
    field.required("file", self.file, "absolute path; must not exist");
    field.optional("format", self.format,
                   Option{.text = "format of the lines of `trajectories`",
                          .value = "NAME",
                          .fallback = "kevin",
                          .choices = kFormats});
    field.optional("provider", self.provider,
                   Option{.text = "only episodes of this provider",
                          .value = "NAME",
                          .fallback = "gpu",
                          .choices = kProviders});
    field.optional("since", self.since,
                   Option{.text = "number of the first episode", .value = "N", .fallback = "1"});
    field.optional("threshold", self.threshold,
                   Option{.text = "speedup that criterion b of `concur` asks for; 1.5 = 1.5 times "
                                  "as fast",
                          .value = "X",
                          .fallback = "1.5"});
    field.optional("balance", self.balance,
                   Option{.text = "lines of `concur` of the larger kind, single or fused, for each "
                                  "line of the smaller; 0 = all",
                          .value = "X",
                          .fallback = "1"});
  }
};
struct ExportWriteResult : ExportCounts {
  std::string file;
  std::int64_t bytes = 0;
  std::string sha256;

  static void describe(auto& self, auto& field) {
    field.required("file", self.file, "that was written");
    field.required("bytes", self.bytes, "its size");
    field.required("sha256", self.sha256, "of it");
    ExportCounts::describe(self, field);
  }
};

struct ExportVerifyParams {
  std::string file;

  static void describe(auto& self, auto& field) {
    field.required("file", self.file, "absolute path of a file that `export.write` wrote");
  }
};
struct ExportVerifyResult {
  std::int64_t lines = 0;
  std::int64_t problems = 0;
  std::vector<std::string> notes;
  std::vector<std::string> kinds;
  bool operator==(const ExportVerifyResult&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("lines", self.lines, "read");
    field.required("problems", self.problems, "what does not fit");
    field.required("notes", self.notes, "the first 20 of them, each with its line");
    field.required("kinds", self.kinds, "schemas that were met");
  }
};

// --- Methods

inline constexpr Method<EpisodeExplainParams, EpisodeExplainResult> kEpisodeExplain{
    "episode.explain",
    "Why an episode went as it did: everything stored of it, with the claims behind it. Of a "
    "running job, the steps so far. Error `conflict` before the first."};
inline constexpr Method<ExportWriteParams, ExportWriteResult> kExportWrite{
    "export.write",
    "Writes training data as JSON lines. Error `conflict` when the file exists. May take long."};
inline constexpr Method<ExportVerifyParams, ExportVerifyResult> kExportVerify{
    "export.verify",
    "Checks every line of such a file: schema, hashes, returns, no held-out task. May take "
    "long."};

[[nodiscard]] std::vector<MethodSpec> record_methods();

}  // namespace warpmind::daemon::protocol
