#pragma once
/// \file
/// Mode profile: hardware counters of each launch, through the CUPTI Range Profiler.

#include "profilers/job/runner_job.h"
#include "profilers/worker/runner_session.h"

namespace warpmind::profilers {

/// Profiles the candidate of the first case: automatic ranges (one a kernel), kernel replay.
/// A refusal to read counters is a normal report with counters_refused and the way out.
[[nodiscard]] RunnerReport profile(RunnerSession& session, const RunnerJob& job);

}  // namespace warpmind::profilers
