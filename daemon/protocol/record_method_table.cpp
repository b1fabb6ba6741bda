#include "daemon/protocol/record_method_table.h"

#include <array>

namespace warpmind::daemon::protocol {
namespace {

using enum FieldType;

constexpr std::array kExplainParams{
    FieldSpec{"id", string, true, "`e-` or `j-` and 10 digits, the bare number, or `last`"},
    FieldSpec{"step", integer, false, "a step of the episode, 0 is the baseline; default all"},
};
constexpr std::array kExplainResult{
    FieldSpec{"job_id", string, true, "of the episode; empty when the job is gone"},
    FieldSpec{"state", string, true, "of the job"},
    FieldSpec{"budget", object, true, "that the job was given"},
    FieldSpec{"episode", object, true, "as stored, every step"},
    FieldSpec{"insights", objects, true,
              "behind the exposures of the steps, each once and as it stands today: `id`, `known` "
              "(false: gone), `kind`, `state`, `claim`, `techniques`, `utility`"},
    FieldSpec{"step", integer, false, "that was asked for"},
    FieldSpec{"advice", object, false,
              "what to do first about the kernel that this step edited (of step 0: about the given "
              "kernel), as in `kernel.analyze`; null without a step, and where the base holds the "
              "episode without its task"},
    FieldSpec{"inputs", string, true,
              "of a task made of a recorded program: which inputs are as recorded, like the "
              "recorded values, or invented; else empty"},
};
constexpr std::array kWriteParams{
    FieldSpec{"kind", string, true, "`trajectories` or `concur` (docs/export.md)"},
    FieldSpec{"file", string, true, "absolute path; must not exist"},
    FieldSpec{"format", string, false, "for `trajectories`: `kevin` (default) or `chat`"},
    FieldSpec{"provider", string, false, "whose results: `gpu` (default), `sim` or `fixture`"},
    FieldSpec{"since", integer, false, "number of the first episode; default 1"},
    FieldSpec{"threshold", number, false, "for `concur`: speedup of criterion b; default 1.5"},
    FieldSpec{"balance", number, false,
              "for `concur`: lines of the larger kind (single, fused) for each of the smaller; "
              "default 1, 0 = not balanced"},
};
constexpr std::array kWriteResult{
    FieldSpec{"file", string, true, "that was written"},
    FieldSpec{"bytes", integer, true, "its size"},
    FieldSpec{"sha256", string, true, "of it"},
    FieldSpec{"lines", integer, true, "written"},
    FieldSpec{"episodes", integer, true, "with at least one line"},
    FieldSpec{"tasks", integer, true, "with at least one line"},
    FieldSpec{"heldout", integer, true, "attempts left out: of held-out tasks, or their kernels"},
    FieldSpec{"other_provider", integer, true, "episodes left out: another provider's"},
    FieldSpec{"no_reasoning", integer, true, "`concur`: attempts left out without reasoning text"},
    FieldSpec{"duplicates", integer, true, "`concur`: picks left out as copies"},
    FieldSpec{"unbalanced", integer, true, "`concur`: picks left out by the balance"},
    FieldSpec{"notes", strings, true, "what a reader should know"},
};
constexpr std::array kVerifyParams{
    FieldSpec{"file", string, true, "absolute path of a file that `export.write` wrote"},
};
constexpr std::array kVerifyResult{
    FieldSpec{"lines", integer, true, "read"},
    FieldSpec{"problems", integer, true, "what does not fit"},
    FieldSpec{"notes", strings, true, "the first 20 of them, each with its line"},
    FieldSpec{"kinds", strings, true, "schemas that were met"},
};

constexpr std::array kMethods{
    MethodSpec{"episode.explain", MethodKind::request,
               "Why an episode went as it did: everything stored of it, with the claims behind it. "
               "Of a job that goes on, the steps so far. Error `conflict` before the first.",
               kExplainParams, kExplainResult},
    MethodSpec{"export.write", MethodKind::request,
               "Writes training data as JSON lines. Error `conflict` when the file exists. May "
               "take long.",
               kWriteParams, kWriteResult},
    MethodSpec{"export.verify", MethodKind::request,
               "Checks every line of such a file: schema, hashes, returns, no held-out task. May "
               "take long.",
               kVerifyParams, kVerifyResult},
};

}  // namespace

std::span<const MethodSpec> record_methods() { return kMethods; }

}  // namespace warpmind::daemon::protocol
