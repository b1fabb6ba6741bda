#pragma once
/// \file
/// What a run of a user's program showed, and whether the program can be a task.

#include "base/enum_names.h"
#include "base/model/measurement.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind {

/// All runs of one kernel in one run of the program.
struct KernelTimes {
  std::string kernel;  ///< as in the source, without parameters: "space::scan"
  bool timed = false;
  std::int64_t launches = 0;
  double total_ns = 0;
  double median_ns = 0;
  double least_ns = 0;
  std::int64_t registers = 0;  ///< a thread
  bool operator==(const KernelTimes&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("kernel", self.kernel);
    field.required("timed", self.timed, "the task names it");
    field.required("launches", self.launches);
    field.required("total_ns", self.total_ns);
    field.required("median_ns", self.median_ns);
    field.required("least_ns", self.least_ns);
    field.required("registers", self.registers, "0 = not known");
  }
};

struct ProgramRun {
  bool passed = false;
  std::string reason;  ///< why not, one sentence
  double wall_s = 0;
  std::int64_t launches = 0;         ///< of all kernels
  std::vector<KernelTimes> kernels;  ///< most time first; of kernels that did something
  std::string note;                  ///< what is missing in the record; empty = nothing
  bool operator==(const ProgramRun&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("passed", self.passed);
    field.required("reason", self.reason);
    field.required("wall_s", self.wall_s);
    field.required("launches", self.launches);
    field.required("kernels", self.kernels);
    field.required("note", self.note);
  }
};

/// What a program must pass to become a task, in this order. The first that fails refuses it.
enum class ProgramControl {
  none,          ///< nothing refuses it
  build,         ///< it builds, in the sandbox, from its own folder
  linkage,       ///< its CUDA runtime is a shared library, so that launches can be seen and skipped
  pass,          ///< the first run passes
  kernels,       ///< every pattern names a kernel that was launched
  agreement,     ///< every further run passes, too
  null_kernels,  ///< it does not pass when kernels do nothing
};
WARPMIND_ENUM_NAMES(ProgramControl, {ProgramControl::none, ""}, {ProgramControl::build, "build"},
                    {ProgramControl::linkage, "linkage"}, {ProgramControl::pass, "pass"},
                    {ProgramControl::kernels, "kernels"}, {ProgramControl::agreement, "agreement"},
                    {ProgramControl::null_kernels, "null_kernels"});

struct ProgramCheck {
  std::string name;
  bool admitted = false;
  ProgramControl refused_by = ProgramControl::none;
  std::string reason;
  Provider provider = Provider::sim;
  std::string device;
  double build_s = 0;
  std::vector<ProgramRun> runs;
  std::optional<ProgramRun> null_run;
  std::string diagnostics;
  std::string restricted;

  static void describe(auto& self, auto& field) {
    field.required("name", self.name, "of the task");
    field.required("admitted", self.admitted, "it can be a task");
    field.required(
        "refused_by", self.refused_by,
        "`build`, `linkage`, `pass`, `kernels`, `agreement` or `null_kernels`; empty when "
        "admitted");
    field.required("reason", self.reason, "why it was refused, one sentence");
    field.required("provider", self.provider,
                   "`gpu`: times are measured; `sim`: they are predicted");
    field.required("device", self.device, "that it ran on");
    field.required("build_s", self.build_s, "time of the build, s");
    field.required(
        "runs", self.runs,
        "each with `passed`, `reason`, `wall_s`, `launches`, `note` and `kernels`: each with "
        "`kernel`, `timed`, `launches`, `total_ns`, `median_ns`, `least_ns`, `registers` (0 = "
        "not known), most time first");
    field.optional("null_run", self.null_run,
                   "the run whose kernels did nothing, as one of `runs`");
    field.required("diagnostics", self.diagnostics,
                   "end of what a compiler or a failing run wrote");
    field.required("restricted", self.restricted,
                   "licence that forbids to pass its text on, or empty");
  }
};

}  // namespace warpmind
