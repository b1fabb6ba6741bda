#pragma once
/// \file
/// How many operations a kernel does (`flops.count`), as values. Names on the wire are the field
/// names.

#include "base/model/operation_count.h"
#include "daemon/protocol/messages.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

struct FlopsCountParams {
  std::string file;
  std::string directory;
  std::string workload;
  std::string device;
  std::string record;

  static void describe(auto& self, auto& field) {
    field.optional("file", self.file,
                   "absolute path of a `.cu`, `.ptx`, `.cubin` or `.fatbin` file; with `directory` "
                   "default the task's own kernel");
    field.optional("directory", self.directory,
                   "absolute path of a task folder, whose launches are counted on its workloads");
    field.optional("workload", self.workload, "only this one; default all");
    field.optional("device", self.device,
                   "key of the device table to build for; default `lab.target`");
    field.optional(
        "record", self.record,
        "absolute path of a record of a run of `file`, which then is a program: its launches "
        "are counted");
  }
};

/// What one thread does in one pass of a loop, inner loops left out.
struct CountedRegion : LoopPlace {
  std::map<std::string, double> operations;
  std::map<std::string, double> flops;

  static void describe(auto& self, auto& field) {
    LoopPlace::describe(self, field);
    field.required("operations", self.operations);
    field.required("flops", self.flops);
  }
};

using CountedKernel = KernelCount<CountedRegion>;

struct CountedLaunch : LaunchToCount {
  std::string workload;
  std::map<std::string, double> operations;
  std::map<std::string, double> flops;
  double total_flops = 0;
  std::int64_t times = 1;

  static void describe(auto& self, auto& field) {
    LaunchToCount::describe(self, field);
    field.required("workload", self.workload);
    field.required("operations", self.operations, "of all threads");
    field.required("flops", self.flops);
    field.required("total_flops", self.total_flops);
    field.required("times", self.times, "a program made it that often; counts are of one");
  }
};

struct CountedWorkload {
  std::string workload;
  double total_flops = 0;
  bool complete = true;
  double model_flops = 0;

  static void describe(auto& self, auto& field) {
    field.required("workload", self.workload);
    field.required("total_flops", self.total_flops, "of the launches that were decided");
    field.required("complete", self.complete, "all were");
    field.required("model_flops", self.model_flops, "by the task's [cost]");
  }
};

struct FlopsCountResult {
  std::string name;
  std::string architecture;
  std::vector<CountedKernel> kernels;
  std::vector<CountedLaunch> launches;
  std::vector<CountedWorkload> workloads;
  std::string note;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name, "of the task or the program; empty without one");
    field.required("architecture", self.architecture, "`sm_90`");
    field.required(
        "kernels", self.kernels,
        "each with `kernel`, `source` (`ptx` or `sass`), `regions` (what one thread does in "
        "one pass of a loop without inner loops: `parent`, -1 outside loops, `first_line`, "
        "`last_line`, `operations` by class, `flops` by type) and `notes`");
    field.required(
        "launches", self.launches,
        "each with `workload`, `kernel`, `operations` and `flops` of all threads, "
        "`total_flops`, `sampled` (not every block was counted), `simulated` (loops depend on "
        "data: the simulator executed them), `undecided` (why there are no counts; empty when "
        "there are), `grid`, `block`, `times` (a program made it that often; counts are of one)");
    field.required("workloads", self.workloads,
                   "each with `workload`, `total_flops`, `complete` (every launch was decided), "
                   "`model_flops` (by the task's cost model)");
    field.required("note", self.note, "what is left out, and why");
  }
};

// --- Methods

inline constexpr Method<FlopsCountParams, FlopsCountResult> kFlopsCount{
    "flops.count",
    "Counts the operations of kernels from their code. Source is built; where loops depend on "
    "data the simulator runs it."};

[[nodiscard]] std::vector<MethodSpec> flops_methods();

}  // namespace warpmind::daemon::protocol
