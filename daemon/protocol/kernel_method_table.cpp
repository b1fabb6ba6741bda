#include "daemon/protocol/kernel_method_table.h"

#include <array>

namespace warpmind::daemon::protocol {
namespace {

using enum FieldType;

constexpr std::array kMovesParams{
    FieldSpec{"directory", string, false, "absolute path of a task folder; or"},
    FieldSpec{"source", string, false, "CUDA text by itself: no launch is known"},
    FieldSpec{"device", string, false, "key of the device table; default `lab.target`"},
    FieldSpec{"technique", string, false, "only this one"},
    FieldSpec{"parameters", string, false, "only this move of `technique`"},
};
constexpr std::array kMovesResult{
    FieldSpec{"name", string, true, "of the task; empty for bare source"},
    FieldSpec{"device", string, true, "that gains were guessed for"},
    FieldSpec{"kernel", object, true, "as given"},
    FieldSpec{"techniques", objects, true,
              "each with `technique`, `rationale`, `parameters` (their range), `moves` "
              "(`parameters`, `predicted_gain`: a guess, nothing was measured), `refusal` (why "
              "there is none), `kernels` (functions that the first move changes or adds), "
              "`rewritten` (the kernel after the first move)"},
    FieldSpec{"note", string, true, "what is not known, and how to tell it"},
    FieldSpec{"host", objects, true,
              "edits of host code, for bare source: each with `name`, `rationale`, `places` (what "
              "is edited), `refusal` (why it does not apply), `text` (the source after it)"},
};

constexpr std::array kLiftParams{
    FieldSpec{"source", string, true, "absolute path of a CUDA file"},
    FieldSpec{"record", string, true, "absolute path of a launch record of a run of it"},
    FieldSpec{"name", string, true, "begins the names of the tasks"},
};
constexpr std::array kLiftResult{
    FieldSpec{"parts", objects, true,
              "launches that are optimised together, most threads first: each with `name`, "
              "`kernels`, `times` (how often the run launched just this), `task`, `refusal` (why "
              "a better kernel cannot be written back), `notes`"},
    FieldSpec{"skipped", objects, true, "kernels without a task: each with `name`, `reason`"},
    FieldSpec{"notes", strings, true, "what of the program the parts do not show"},
    FieldSpec{"launches", string, true,
              "count and hash: equal for runs with the same kernels, grids, blocks and scalars in "
              "the same order"},
    FieldSpec{"faults", strings, true,
              "what ended all work in that run, a sentence each; then there are no parts"},
    FieldSpec{"findings", strings, true,
              "launches that CUDA refused, and what the simulator's checks found"},
};

constexpr std::array kRewriteParams{
    FieldSpec{"source", string, true, "as for `program.lift`"},
    FieldSpec{"record", string, true, "as for `program.lift`"},
    FieldSpec{"kernels", objects, false, "each with `part` and the better `kernel`"},
    FieldSpec{"assume_shapes", boolean, false,
              "true: neither guards nor the given launches (false)"},
    FieldSpec{"host_edits", strings, false, "names of host edits, applied first"},
};
constexpr std::array kRewriteResult{
    FieldSpec{"text", string, true, "of the whole program"},
    FieldSpec{"written", strings, true, "parts that use their better kernel"},
    FieldSpec{"refused", objects, true, "parts that do not: each with `name`, `reason`"},
    FieldSpec{"edited", strings, true, "host edits that were made"},
    FieldSpec{"unedited", objects, true, "those that do not apply: each with `name`, `reason`"},
};

constexpr std::array kMethods{
    MethodSpec{"moves.explain", MethodKind::request,
               "Which techniques of the built-in agent apply to a kernel, where, and what they "
               "write. Nothing is built or run.",
               kMovesParams, kMovesResult},
    MethodSpec{"program.lift", MethodKind::request,
               "Cuts a program into tasks by the record of one of its runs. The daemon reads both "
               "files and runs neither.",
               kLiftParams, kLiftResult},
    MethodSpec{"program.rewrite", MethodKind::request,
               "Writes better kernels of parts back into the program, and edits its host code.",
               kRewriteParams, kRewriteResult},
};

}  // namespace

std::span<const MethodSpec> kernel_methods() { return kMethods; }

}  // namespace warpmind::daemon::protocol
