#pragma once
/// \file
/// Mode time: blocks of launches over an input ring, in ABBA quads, on events (DESIGN 7.1).

#include "profilers/job/runner_job.h"
#include "profilers/worker/runner_session.h"

namespace warpmind::profilers {

/// Times the candidate of the first case, alone or against its incumbent, and dumps the outputs of
/// the candidate's last timed run. A candidate that fails to run gives a report that is not ok,
/// with the status of its case.
[[nodiscard]] RunnerReport time(RunnerSession& session, const RunnerJob& job);

}  // namespace warpmind::profilers
