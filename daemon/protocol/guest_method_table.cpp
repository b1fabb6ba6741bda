#include "daemon/protocol/guest_method_table.h"

#include <array>

namespace warpmind::daemon::protocol {
namespace {

using enum FieldType;

constexpr std::array kOpenParams{
    FieldSpec{"directory", string, true, "absolute path of the task folder"},
    FieldSpec{"evaluations", integer, false, "candidates to judge; default `episode.evaluations`"},
    FieldSpec{"seconds", number, false, "wall time, s; default a week: the lease ends it before"},
    FieldSpec{"provider", string, false, "as for `task.submit`"},
    FieldSpec{"device", string, false, "as for `task.submit`"},
    FieldSpec{"gpu_seconds", number, false, "most time in the lab, s; default no limit"},
    FieldSpec{"effort", string, false,
              "of the lab: `quick`, `normal` or `strict`; default `lab.effort`"},
};
constexpr std::array kEpisodeParams{
    FieldSpec{"job_id", string, true, "`j-` and 10 digits"},
};
constexpr std::array kBriefResult{
    FieldSpec{"job_id", string, true, "of the job"},
    FieldSpec{"episode_id", string, true, "of the episode"},
    FieldSpec{"step", integer, true, "whose kernel is the one to edit: the best so far"},
    FieldSpec{"kernel", object, true, "that kernel: source, launch plan, build flags"},
    FieldSpec{"best_ratio", number, true, "time of the given kernel / time of that one"},
    FieldSpec{"bottleneck", object, true, "what limits it, by which metrics"},
    FieldSpec{"metrics", objects, true, "of the launch with the largest share of time"},
    FieldSpec{"advice", object, true, "techniques and insights, best first"},
    FieldSpec{"device", object, true, "its row of the device table"},
    FieldSpec{"gradient", string, true, "what the newest step taught; empty before the first"},
    FieldSpec{"contract", string, true, "what the result must satisfy, in words"},
    FieldSpec{"forbidden", strings, true, "what is refused"},
    FieldSpec{"evaluations_left", integer, true, "candidates that will still be judged"},
    FieldSpec{"lease_s", number, true,
              "s from now until the episode is closed if nobody calls; each call renews it"},
    FieldSpec{"launches", objects, true,
              "of that kernel, in launch order: each as a side of a pair in `episode.profile`"},
};
constexpr std::array kSubmitParams{
    FieldSpec{"job_id", string, true, "`j-` and 10 digits"},
    FieldSpec{"source", string, false, "CUDA C++; default that of the edited kernel"},
    FieldSpec{"plan", object, false, "launch plan, whole; default that of the edited kernel"},
    FieldSpec{"build_flags", strings, false, "default those of the edited kernel"},
    FieldSpec{"edits", integer, false, "step whose kernel was edited; default the best so far"},
    FieldSpec{"technique", string, false, "what was done, a name of `kb.techniques`"},
    FieldSpec{"parameters", string, false, "of the technique, `block=256x1x1`"},
    FieldSpec{"rationale", string, false, "why, one sentence"},
    FieldSpec{"predicted_gain", number, false, "expected factor over the edited kernel; default 1"},
    FieldSpec{"author", string, false, "who wrote it, for provenance"},
    FieldSpec{"model", string, false, "language model that wrote it"},
};
constexpr std::array kSubmitResult{
    FieldSpec{"job_id", string, true, "of the job"},
    FieldSpec{"step", integer, true, "as which it is recorded"},
    FieldSpec{"verdict", object, true,
              "outcome, reason, stages, comparison with the edited kernel"},
    FieldSpec{"promotion", object, false, "comparison with the best kernel, where that is another"},
    FieldSpec{"gradient", object, false, "predicted against measured, metrics that moved, advice"},
    FieldSpec{"accepted", boolean, true, "it is the best kernel now"},
    FieldSpec{"known", boolean, true,
              "the same kernel, or one with the same plan and machine code, was judged before, as "
              "that step"},
};
constexpr std::array kCloseParams{
    FieldSpec{"job_id", string, true, "`j-` and 10 digits"},
    FieldSpec{"reason", string, false, "why it ends, for the record"},
};
constexpr std::array kCloseResult{
    FieldSpec{"job_id", string, true, "of the job; `task.result` has the episode"},
    FieldSpec{"episode_id", string, true, "of the episode"},
    FieldSpec{"outcome", string, true, "`improved`, `same` …"},
    FieldSpec{"summary", string, true, "one sentence"},
    FieldSpec{"candidates", integer, true, "judged"},
    FieldSpec{"best_step", integer, true, "step of the best kernel; 0 = the given one"},
};

constexpr std::array kMethods{
    MethodSpec{"episode.open", MethodKind::request,
               "Opens an episode whose candidates the caller writes, judges the given kernel and "
               "returns the brief. Several callers may submit to one episode.",
               kOpenParams, kBriefResult},
    MethodSpec{"episode.brief", MethodKind::request,
               "The brief of an open episode as it is now. Error `conflict` when it is closed.",
               kEpisodeParams, kBriefResult},
    MethodSpec{"episode.submit", MethodKind::request,
               "Judges a candidate; answers when its step is stored. Takes as long as a "
               "measurement. Error `unavailable` when the budget is spent.",
               kSubmitParams, kSubmitResult},
    MethodSpec{"episode.close", MethodKind::request,
               "Ends the episode and writes back what it taught.", kCloseParams, kCloseResult},
};

}  // namespace

std::span<const MethodSpec> guest_methods() { return kMethods; }

}  // namespace warpmind::daemon::protocol
