#pragma once
/// \file
/// What a lane does with a job.

#include "base/job_control.h"
#include "base/model/job.h"
#include "base/result.h"

namespace warpmind::daemon {

class JobRunner {
 public:
  virtual ~JobRunner() = default;

  /// Runs `job` (state running) and ends it in the store: done, cancelled or failed. Called from
  /// one thread a lane at the same time. Errors: cancelled when parked; unavailable when the
  /// machine failed it and it can go on from what the store has; whatever the store refuses. The
  /// job has not ended then.
  [[nodiscard]] virtual Result<void> run_job(Job job, const JobControl& control) = 0;
};

}  // namespace warpmind::daemon
