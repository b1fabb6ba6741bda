#include "daemon/protocol/editor_method_table.h"

#include <array>

namespace warpmind::daemon::protocol {
namespace {

using enum FieldType;

constexpr std::array kListParams{
    FieldSpec{"file", string, false,
              "absolute path of a CUDA file: only episodes of the task beside it whose kernel it "
              "is; default all"},
    FieldSpec{"limit", integer, false, "1 to 200, default 20"},
};
constexpr std::array kListResult{
    FieldSpec{"directory", string, true, "task folder whose kernel is `file`; empty = none"},
    FieldSpec{"task", string, true, "its name"},
    FieldSpec{"note", string, true, "why `file` has no task, and the way out"},
    FieldSpec{"episodes", objects, true,
              "newest first: each with `job_id`, `state`, `task`, `directory`, `provider`, "
              "`submitted` (ms since 1970), and where there is an episode `episode_id`, `outcome`, "
              "`device`, `given_ns`, `best_ns`, `ratio` (given / best, measured directly), "
              "`technique` (of the best step), `summary`, `bottleneck` (of the given kernel), "
              "`how` (techniques that led to the best), `curve` (best ratio after each candidate), "
              "`limit_ns` and `limited_by` (time below which no kernel can be, and what sets "
              "it: `memory bandwidth`, `FP32 arithmetic`, `one kernel launch`; 0 = not known)"},
};
constexpr std::array kAttachResult{
    FieldSpec{"protocol", string, true, "version of the Language Server Protocol: 3.17"},
};

constexpr std::array kMethods{
    MethodSpec{"episode.list", MethodKind::request,
               "The newest jobs with what came of them, of every task or of one file's.",
               kListParams, kListResult},
    MethodSpec{"lsp.attach",
               MethodKind::request,
               "From the next line on this connection speaks the Language Server Protocol, one "
               "message a line (docs/editors.md); `warpmind lsp` makes frames of the lines.",
               {},
               kAttachResult},
};

}  // namespace

std::span<const MethodSpec> editor_methods() { return kMethods; }

}  // namespace warpmind::daemon::protocol
