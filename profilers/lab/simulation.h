#pragma once
/// \file
/// Runners whose CUDA runtime is the simulator, and what it says about their launches.

#include "base/model/verdict.h"
#include "base/result.h"
#include "profilers/lab/judging.h"
#include "profilers/simulator/profile/launch_record_codec.h"

#include <string>
#include <vector>

namespace warpmind::profilers {

enum class SimulationMode {
  verify,           ///< every check
  verify_reversed,  ///< warps and blocks in reverse order, bounds only: order dependence shows
  verify_drawn,     ///< the same with blocks in an order that nobody can foresee
  run,              ///< bounds only, fast
  profile,          ///< counts and caches, on a sample of a large grid's blocks
};

/// `simulator` set up for `mode`, with counts for the device that the table calls `device`. A
/// launch ends by itself before `run_seconds`, the least time that a run gets, are over: then the
/// report says what took so long, and nobody has to guess.
[[nodiscard]] RunnerPlace place_for(const RunnerPlace& simulator, SimulationMode mode,
                                    const std::string& device, double run_seconds);

/// What the simulator reported to this runner so far, in launch order. Errors: corrupt_data when
/// the report is none, is a link, or is not what the simulator wrote: a host function of the
/// candidate may write there, too. After a run without answer nothing says so.
[[nodiscard]] Result<std::vector<simulator::LaunchReport>> read_simulation(
    const WorkerSession& runner);

/// Findings of all launches, one a kind, kernel and line, defects first.
[[nodiscard]] std::vector<SimulatorFinding> findings_of(
    const std::vector<simulator::LaunchReport>& launches);

/// How the first defect ends a judging; none = nothing was found.
[[nodiscard]] std::optional<StageFailure> defect_of(const std::vector<SimulatorFinding>& findings);

/// How a launch that did not run to its end ends a judging: `blocked` for an instruction that the
/// simulator does not know, timed_out at the step limit, unjudgeable where the simulator was slow,
/// else crashed; none = all of them ended.
[[nodiscard]] std::optional<StageFailure> stop_of(
    const std::vector<simulator::LaunchReport>& launches);

/// Why a run in the simulator failed, as far as its report knows more than `failure`: a runner that
/// was killed for the time that it took was slow, since a launch without an end would have said so.
/// Of a runner on a GPU, `failure` itself.
[[nodiscard]] StageFailure explained_by_report(const WorkerSession& runner, StageFailure failure);

}  // namespace warpmind::profilers
