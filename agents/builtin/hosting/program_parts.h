#pragma once
/// \file
/// A recorded program cut into parts that are optimised one by one: a kernel, or launches that
/// follow each other and pass data on, so that they may become one.

#include "agents/builtin/hosting/launch_sites.h"
#include "agents/builtin/lifting/recorded_task.h"

#include <string>
#include <vector>

namespace warpmind::agents::builtin {

struct ProgramPart {
  std::string name;                   ///< "scale", "scale_sum_rows"
  std::vector<std::string> kernels;   ///< by launch of the task's given plan
  std::vector<std::size_t> launches;  ///< likewise: positions in ProgramRecord::launches
  std::size_t times = 1;              ///< how often the program launched just this
  Task task;
  std::string refusal;             ///< why the program cannot be made to use a better one
  std::vector<std::string> notes;  ///< a clause each
};

struct LiftedProgram {
  std::vector<ProgramPart> parts;      ///< most threads first
  std::vector<SkippedLaunch> skipped;  ///< each kernel once
  std::vector<std::string> notes;      ///< what of the program the parts do not show
  std::vector<std::string> faults;     ///< of the run, a sentence each; then there are no parts
  std::vector<std::string> findings;   ///< launches that CUDA refused, what checks found
};

/// A kernel that is launched with several sizes is lifted with those that ran the most threads.
/// Buffers of the program stay arguments, since the program may look at them; one that only exists
/// between the launches of a part is scratch. `name` begins the names of the tasks.
/// After a fault nothing of a run means anything: it is told, and nothing is lifted.
/// Errors: invalid_argument when no launch can be lifted, with the first reason.
[[nodiscard]] Result<LiftedProgram> lift_program(const std::string& name, const CudaSource& program,
                                                 const profilers::ProgramRecord& record);

/// Equal for runs that launch the same kernels with the same grids, blocks and scalars in the same
/// order: "7 launches, 0123456789abcdef". Where buffers lie does not count.
[[nodiscard]] std::string launch_digest(const profilers::ProgramRecord& record);

}  // namespace warpmind::agents::builtin
