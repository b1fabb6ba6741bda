#pragma once
/// \file
/// What editors ask for (`episode.list`, `lsp.attach`), as values. Names on the wire are the field
/// names.

#include "daemon/protocol/job_outcome.h"
#include "daemon/protocol/messages.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

struct EpisodeListParams {
  std::string file;
  std::optional<std::int64_t> limit;

  static void describe(auto& self, auto& field) {
    field.optional(
        "file", self.file,
        "absolute path of a CUDA file: only episodes of the task beside it whose kernel it is; "
        "default all");
    field.optional("limit", self.limit, "1 to 200, default 20");
  }
};

/// A job, with what its episode says in short.
struct ListedEpisode : JobOutcome {
  std::string directory;
  Provider provider = Provider::gpu;
  std::int64_t submitted = 0;
  std::string episode_id;
  double ratio = 1;
  std::string technique;
  double limit_ns = 0;
  std::string limited_by;
  bool operator==(const ListedEpisode&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("job_id", self.job_id);
    field.required("state", self.state);
    field.required("task", self.task);
    field.required("directory", self.directory, "of the task");
    field.required("provider", self.provider);
    field.required("submitted", self.submitted, "ms since 1970");
    field.required("episode_id", self.episode_id);
    field.required("outcome", self.outcome);
    field.required("device", self.device, "\"NVIDIA H200\"");
    field.required("given_ns", self.given_ns, "time of the given kernel; 0 = not measured");
    field.required("best_ns", self.best_ns);
    field.required("ratio", self.ratio, "given / best, measured directly; 1 = nothing was better");
    field.required("technique", self.technique, "of the best step");
    field.required("summary", self.summary);
    field.required("bottleneck", self.bottleneck, "of the given kernel");
    field.required("how", self.how, "techniques that led to the best, in their order");
    field.required("curve", self.curve, "best ratio after each candidate");
    field.required("limit_ns", self.limit_ns, "base/limit.h; 0 = not known");
    field.required("limited_by", self.limited_by,
                   "\"memory bandwidth\", \"FP32 arithmetic\", \"one kernel launch\"");
  }
};

struct EpisodeListResult {
  std::string directory;
  std::string task;
  std::string note;
  std::vector<ListedEpisode> episodes;

  static void describe(auto& self, auto& field) {
    field.required("directory", self.directory, "task folder whose kernel is `file`; empty = none");
    field.required("task", self.task, "its name");
    field.required("note", self.note, "why `file` has no task, and the way out");
    field.required(
        "episodes", self.episodes,
        "newest first: each with `job_id`, `state`, `task`, `directory`, `provider`, "
        "`submitted` (ms since 1970), and where there is an episode `episode_id`, `outcome`, "
        "`device`, `given_ns`, `best_ns`, `ratio` (given / best, measured directly), "
        "`technique` (of the best step), `summary`, `bottleneck` (of the given kernel), `how` "
        "(techniques that led to the best), `curve` (best ratio after each candidate), "
        "`limit_ns` and `limited_by` (time below which no kernel can be, and what sets it: "
        "`memory bandwidth`, `FP32 arithmetic`, `one kernel launch`; 0 = not known)");
  }
};

struct LspAttachResult {
  std::string protocol = "3.17";

  static void describe(auto& self, auto& field) {
    field.required("protocol", self.protocol, "version of the Language Server Protocol: 3.17");
  }
};

// --- Methods

inline constexpr Method<EpisodeListParams, EpisodeListResult> kEpisodeList{
    "episode.list", "The newest jobs with what came of them, of every task or of one file's."};
inline constexpr Method<Empty, LspAttachResult> kLspAttach{
    "lsp.attach",
    "From the next line on this connection speaks the Language Server Protocol, one message a "
    "line (docs/editors.md); `warpmind lsp` makes frames of the lines."};

[[nodiscard]] std::vector<MethodSpec> editor_methods();

}  // namespace warpmind::daemon::protocol
