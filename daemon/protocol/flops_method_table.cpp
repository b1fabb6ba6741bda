#include "daemon/protocol/flops_method_table.h"

#include <array>

namespace warpmind::daemon::protocol {
namespace {

using enum FieldType;

constexpr std::array kCountParams{
    FieldSpec{"file", string, false,
              "absolute path of a `.cu`, `.ptx`, `.cubin` or `.fatbin` file; with `directory` "
              "default the task's own kernel"},
    FieldSpec{"directory", string, false,
              "absolute path of a task folder, whose launches are counted on its workloads"},
    FieldSpec{"workload", string, false, "only this one; default all"},
    FieldSpec{"device", string, false,
              "key of the device table to build for; default `lab.target`"},
    FieldSpec{"record", string, false,
              "absolute path of a record of a run of `file`, which then is a program: its launches "
              "are counted"},
};
constexpr std::array kCountResult{
    FieldSpec{"name", string, true, "of the task or the program; empty without one"},
    FieldSpec{"architecture", string, true, "`sm_90`"},
    FieldSpec{"kernels", objects, true,
              "each with `kernel`, `source` (`ptx` or `sass`), `regions` (what one thread does in "
              "one pass of a loop without inner loops: `parent`, -1 outside loops, `first_line`, "
              "`last_line`, `operations` by class, `flops` by type) and `notes`"},
    FieldSpec{
        "launches", objects, true,
        "each with `workload`, `kernel`, `operations` and `flops` of all threads, "
        "`total_flops`, `sampled` (not every block was counted), `simulated` (loops "
        "depend on data: the simulator executed them), `undecided` (why there are no counts; "
        "empty when there are), `grid`, `block`, `times` (a program made it that often; counts "
        "are of one)"},
    FieldSpec{"workloads", objects, true,
              "each with `workload`, `total_flops`, `complete` (every launch was decided), "
              "`model_flops` (by the task's cost model)"},
    FieldSpec{"note", string, true, "what is left out, and why"},
};
constexpr std::array kMethods{
    MethodSpec{"flops.count", MethodKind::request,
               "Counts the operations of kernels from their code. Source is built; where "
               "loops depend on data the simulator runs it.",
               kCountParams, kCountResult},
};

}  // namespace

std::span<const MethodSpec> flops_methods() { return kMethods; }

}  // namespace warpmind::daemon::protocol
