#pragma once
/// \file
/// A task made of a program's source and of the record of one of its runs: its kernels as tier A,
/// launched as the program launched them.

#include "agents/builtin/syntax.h"
#include "base/model/task.h"
#include "profilers/launch_record/program_record.h"

#include <string>
#include <vector>

namespace warpmind::agents::builtin {

/// A launch that is not part of the task, and why: one clause without a full stop.
struct SkippedLaunch {
  std::size_t launch = 0;  ///< position in ProgramRecord::launches
  std::string kernel;      ///< as a person reads it
  std::string reason;
};

struct RecordedTask {
  Task task;
  std::vector<std::size_t> launches;  ///< those of the plan: positions in ProgramRecord::launches
  std::vector<SkippedLaunch> skipped;
  std::vector<std::string> notes;  ///< what of the program the task does not show, a clause each
};

/// Most launches of a plan that is made from a record.
inline constexpr std::size_t kMostLiftedLaunches = 64;

/// One workload, "recorded"; grids, blocks and scalars are the numbers of the record. A grid
/// follows the block along an axis where flat_axis() allows it. A buffer that the program only uses
/// between its kernels becomes scratch; other buffers are arguments, named after the parameter that
/// they are first bound to. A sequence of launches that the program repeats, to time it for
/// example, is taken once. Where the record has the contents of an input, integers get them as
/// values and floats their figures (Argument::recorded); the files stay in ProgramRecord::contents.
/// Other integers are drawn from 0 and 1, since they may be indices. Errors: invalid_argument when
/// no launch can be lifted, with the first reason.
[[nodiscard]] Result<RecordedTask> recorded_task(const std::string& name, const CudaSource& program,
                                                 const profilers::ProgramRecord& record);

}  // namespace warpmind::agents::builtin
