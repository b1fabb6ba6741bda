#include "daemon/protocol/program_task_method_table.h"

#include <array>

namespace warpmind::daemon::protocol {
namespace {

using enum FieldType;

constexpr std::array kCheckParams{
    FieldSpec{"directory", string, true, "absolute path of a folder with program.toml"},
    FieldSpec{"provider", string, false, "`auto`, `gpu` or `sim`; default `lab.provider`"},
    FieldSpec{"device", string, false, "key of the device table, for `sim`; default `lab.target`"},
    FieldSpec{"runs", integer, false, "2 to 20 (2): all must pass"},
    FieldSpec{"folders", string, false,
              "folders that it may read beside those of `lab.program_folders`, separated by "
              "colons"},
};
constexpr std::array kCheckResult{
    FieldSpec{"name", string, true, "of the task"},
    FieldSpec{"admitted", boolean, true, "it can be a task"},
    FieldSpec{"refused_by", string, true,
              "`build`, `linkage`, `pass`, `kernels`, `agreement` or `null_kernels`; empty when "
              "admitted"},
    FieldSpec{"reason", string, true, "why it was refused, one sentence"},
    FieldSpec{"provider", string, true, "`gpu`: times are measured; `sim`: they are predicted"},
    FieldSpec{"device", string, true, "that it ran on"},
    FieldSpec{"build_s", number, true, "time of the build, s"},
    FieldSpec{
        "runs", objects, true,
        "each with `passed`, `reason`, `wall_s`, `launches`, `note` and `kernels`: each with "
        "`kernel`, `timed`, `launches`, `total_ns`, `median_ns`, `least_ns`, `registers` (0 = "
        "not known), most time first"},
    FieldSpec{"null_run", object, false, "the run whose kernels did nothing, as one of `runs`"},
    FieldSpec{"diagnostics", string, true, "end of what a compiler or a failing run wrote"},
    FieldSpec{"restricted", string, true, "licence that forbids to pass its text on, or empty"},
};

constexpr std::array kProgramTaskMethods{
    MethodSpec{
        "program_task.check", MethodKind::request,
        "Builds and runs a copy of a program task in the sandbox, and says whether it can be "
        "a task: whether it builds, passes, launches the kernels it names, passes again, and "
        "fails when its kernels do nothing. May take minutes.",
        kCheckParams, kCheckResult},
};

}  // namespace

std::span<const MethodSpec> program_task_methods() { return kProgramTaskMethods; }

}  // namespace warpmind::daemon::protocol
