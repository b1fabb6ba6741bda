#pragma once
/// \file
/// Values of the program lab: what a run of a user's program showed, and whether the program can be
/// a task.

#include "base/enum_names.h"
#include "base/model/verdict.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// All runs of one kernel in one run of the program.
struct KernelTimes {
  std::string kernel;  ///< as in the source, without parameters: "space::scan"
  bool timed = false;  ///< the task names it
  std::int64_t launches = 0;
  double total_ns = 0;
  double median_ns = 0;
  double least_ns = 0;
  std::int64_t registers = 0;  ///< a thread; 0 = not known
  bool operator==(const KernelTimes&) const = default;
};

struct ProgramRun {
  bool passed = false;
  std::string reason;  ///< why not, one sentence
  double wall_s = 0;
  std::int64_t launches = 0;         ///< of all kernels
  std::vector<KernelTimes> kernels;  ///< most time first; of kernels that did something
  std::string note;                  ///< what is missing in the record; empty = nothing
  bool operator==(const ProgramRun&) const = default;
};

/// What a program must pass to become a task, in this order. The first that fails refuses it.
enum class ProgramControl {
  build,         ///< it builds, in the sandbox, from its own folder
  linkage,       ///< its CUDA runtime is a shared library, so that launches can be seen and skipped
  pass,          ///< the first run passes
  kernels,       ///< every pattern names a kernel that was launched
  agreement,     ///< every further run passes, too
  null_kernels,  ///< it does not pass when kernels do nothing
};

struct ProgramCheck {
  std::optional<ProgramControl> refused_by;  ///< nullopt: it is a task
  std::string reason;                        ///< one sentence, when refused
  Provider provider = Provider::sim;
  std::string device;
  double build_s = 0;
  std::vector<ProgramRun> runs;
  std::optional<ProgramRun> null_run;
  std::string diagnostics;  ///< end of what the compiler or the failing run wrote
};

}  // namespace warpmind::profilers

namespace warpmind {
using ProgramControl = profilers::ProgramControl;
WARPMIND_ENUM_NAMES(ProgramControl, {ProgramControl::build, "build"},
                    {ProgramControl::linkage, "linkage"}, {ProgramControl::pass, "pass"},
                    {ProgramControl::kernels, "kernels"}, {ProgramControl::agreement, "agreement"},
                    {ProgramControl::null_kernels, "null_kernels"});
}  // namespace warpmind
