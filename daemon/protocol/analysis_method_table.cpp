#include "daemon/protocol/analysis_method_table.h"

#include <array>

namespace warpmind::daemon::protocol {
namespace {

using enum FieldType;

constexpr std::array kAnalyzeParams{
    FieldSpec{"directory", string, false,
              "absolute path of a task folder: launches and sizes are known then"},
    FieldSpec{"path", string, false,
              "absolute path of a CUDA file; with `directory`, it stands for the task's kernel"},
    FieldSpec{"source", string, false,
              "CUDA text by itself, or what an editor shows of `path` or of the task's kernel"},
    FieldSpec{"device", string, false, "key of the device table; default `lab.target`"},
    FieldSpec{"predict", boolean, false,
              "run the task's kernel in the simulator, for predicted times (true); takes seconds "
              "and waits for the simulator's other users"},
    FieldSpec{"insights", integer, false, "most matched insights a kernel, 0 to 10 (3)"},
    FieldSpec{"plan", object, false,
              "with `directory`: launch plan, whole; default that of the task"},
};
constexpr std::array kAnalyzeResult{
    FieldSpec{"task", string, true, "its name; empty without a folder"},
    FieldSpec{"device", string, true, "\"NVIDIA H200\""},
    FieldSpec{"architecture", string, true, "\"sm_90\""},
    FieldSpec{"source_hash", string, true,
              "SHA-256 of the text that was looked at: tells a stale answer"},
    FieldSpec{"built", boolean, true, ""},
    FieldSpec{"diagnostics", string, true, "of the compiler, verbatim; untrusted"},
    FieldSpec{
        "kernels", objects, true,
        "`__global__` functions, in order: each with `name`, `line`, `end_line` (from 1; 0 = "
        "not found), `built`, `registers`, `static_shared_bytes`, `dynamic_shared_bytes`, "
        "`stack_bytes`, `spill_store_bytes`, `spill_load_bytes`, `block_threads` and "
        "`block_origin` (launch, launch_bounds, source, assumed), `occupancy_percent` and "
        "`occupancy_limiter` (theoretical, for that block), `bottleneck`, `advice` (as below), "
        "`predicted_ns` (of its launches, or null), `insights`, `note`"},
    FieldSpec{"bottleneck", object, true, "of the task's plan; without one, of the worst kernel"},
    FieldSpec{"advice", object, true,
              "what to do first about it: `against` (its costliest cause), `text` (\"\" where "
              "nothing was built), `technique` (whose card says how, or \"\"), `by_agent` (the "
              "built-in agent can rewrite this kernel so)"},
    FieldSpec{"predicted", object, true,
              "measurement of provider sim for the primary workload; null where nothing was "
              "simulated"},
    FieldSpec{"launches", objects, true,
              "of the task's plan, in order: each with `kernel`, `time_share`, `metrics`; tier T0 "
              "unless it was simulated"},
    FieldSpec{"lines", objects, true,
              "what lines of the source cost, hottest first, where it was simulated: each with "
              "`kernel`, `line`, `metrics`"},
    FieldSpec{"findings", objects, true, "of the simulator's checks; defects first"},
    FieldSpec{"insights_note", string, true, "why there is none"},
    FieldSpec{"note", string, true, "what is not known, and how to tell it"},
    FieldSpec{"seconds", number, true, "that it took"},
};

constexpr std::array kBaselineParams{
    FieldSpec{"directory", string, true, "absolute path of a task folder"},
    FieldSpec{"again", boolean, false,
              "time the library calls though that was done before for this task, GPU and versions "
              "(false)"},
};
constexpr std::array kBaselineResult{
    FieldSpec{"task", string, true, "its name"},
    FieldSpec{
        "verdict", object, true,
        "of the given kernel; `measurement.best_library` has `library`, `call` and `ns`, or "
        "`unknown`, a sentence; `measurement.times_best_library` is how many times as fast as "
        "that the given kernel is, or null"},
};

constexpr std::array kProfileParams{
    FieldSpec{"id", string, true, "as for `episode.explain`; the episode may be open"},
    FieldSpec{"step", integer, false, "default the best one"},
    FieldSpec{"against", integer, false,
              "step to hold it against; default the one whose kernel it edited"},
};
constexpr std::array kProfileResult{
    FieldSpec{"job_id", string, true, "of the episode"},
    FieldSpec{"step", integer, true, "that was profiled"},
    FieldSpec{"against", integer, true, "step that it is held against; null for the given kernel"},
    FieldSpec{"provider", string, true, "`sim`: times are predicted"},
    FieldSpec{"made_now", boolean, true, "the episode had judged the step without a profile"},
    FieldSpec{
        "profile", object, true,
        "of the step, with all metrics: `tier`, `workload`, `caches` (`cold` or `warm`; absent "
        "where it is not known), `kernels`, `lines`, `absent`, `note`"},
    FieldSpec{
        "launches", objects, true,
        "of both steps, the most time first: `before` and `after` (null where a launch has no "
        "counterpart), `paired_by` (`kernel`, `time_share`, `none`). Each side has `kernel` "
        "and its readable `name`, "
        "`time_share`, `time_ns`, `bytes` with the `memory` they passed (`DRAM`, `L2`, "
        "`requested`) and `gb_per_s`, `flops` and `gflop_per_s`, `limited_by`, `pipe` and "
        "`pipe_percent`, `stall` with `stall_percent`, `line` and `stall_origin`"},
    FieldSpec{"measurement", object, true, "of the step; null when it was not timed"},
    FieldSpec{"findings", objects, true, "of the simulator's checks; defects first"},
    FieldSpec{"note", string, true, "what is missing, and why"},
};

constexpr std::array kMethods{
    MethodSpec{"library.baseline", MethodKind::request,
               "Judges the kernel of a task on the GPU, and times the fastest library call that "
               "computes the same. Nothing is stored but that time. Without a GPU: unavailable.",
               kBaselineParams, kBaselineResult},
    MethodSpec{"kernel.analyze", MethodKind::request,
               "What can be said of CUDA source without measuring it: it is built, and with a task "
               "folder run in the simulator. Nothing is stored.",
               kAnalyzeParams, kAnalyzeResult},
    MethodSpec{"episode.profile", MethodKind::request,
               "How the kernel of one step spends its time, launch by launch, beside the kernel "
               "that it edited. A step that was judged without a profile is profiled now, by the "
               "episode's provider; nothing is stored. May take as long as a measurement.",
               kProfileParams, kProfileResult},
};

}  // namespace

std::span<const MethodSpec> analysis_methods() { return kMethods; }

}  // namespace warpmind::daemon::protocol
