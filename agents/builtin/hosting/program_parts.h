#pragma once
/// \file
/// A recorded program cut into parts that are optimised one by one: a kernel, or launches that
/// follow each other and pass data on, so that they may become one.

#include "agents/builtin/hosting/launch_sites.h"
#include "agents/builtin/lifting/recorded_task.h"
#include "base/model/program_parts.h"

#include <string>

namespace warpmind::agents::builtin {

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
