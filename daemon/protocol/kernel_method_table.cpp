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
};

constexpr std::array kMethods{
    MethodSpec{"moves.explain", MethodKind::request,
               "Which techniques of the built-in agent apply to a kernel, where, and what they "
               "write. Nothing is built or run.",
               kMovesParams, kMovesResult},
};

}  // namespace

std::span<const MethodSpec> kernel_methods() { return kMethods; }

}  // namespace warpmind::daemon::protocol
