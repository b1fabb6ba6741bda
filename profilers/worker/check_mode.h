#pragma once
/// \file
/// Mode check: run each case, look for damage, dump the outputs for the judge.

#include "profilers/job/runner_job.h"
#include "profilers/worker/runner_session.h"

namespace warpmind::profilers {

/// Runs every case of the job. What the candidate does wrong is the status of its case; an error
/// that loses the context ends the list. The report is not ok only when our own work failed.
[[nodiscard]] RunnerReport check(RunnerSession& session, const RunnerJob& job);

}  // namespace warpmind::profilers
