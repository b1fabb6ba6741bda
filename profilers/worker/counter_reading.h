#pragma once
/// \file
/// Hardware counters for a report, where this build and this machine have them.

#include "profilers/job/runner_job.h"
#include "profilers/worker/runner_session.h"

#include <functional>
#include <string>

namespace warpmind::profilers {

/// Fills in the counters, or why there are none. Errors only when the candidate lost the context.
[[nodiscard]] Result<void> read_counters(const RunnerSession& session, const RunnerJob& job,
                                         const std::function<Result<void>()>& launch,
                                         RunnerReport& report);

/// Samples the plan of the first case, each run after `ready`, until enough of it was seen, and
/// fills in the lines, or why there are none. `run_ns`: of one run, about. Nothing else may have
/// profiled this process. Errors: only when the candidate lost the context.
[[nodiscard]] Result<void> read_lines(const RunnerSession& session, const RunnerJob& job,
                                      const std::function<Result<void>()>& ready,
                                      const std::function<Result<void>()>& launch, double run_ns,
                                      RunnerReport& report);

inline void refuse_counters(RunnerReport& report, std::string why) {
  report.counters_refused = true;
  report.counters_note = std::move(why);
  report.absent.clear();
}

}  // namespace warpmind::profilers
