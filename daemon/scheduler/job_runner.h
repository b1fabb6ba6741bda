#pragma once
/// \file
/// What a lane does with a job.

#include "base/model/job.h"
#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

namespace warpmind::daemon {

struct JobProgress {
  std::int64_t step = 0;
  std::int64_t steps = 0;
  double best_ratio = 1;
  std::string line;
  std::int64_t candidate = 0;  ///< as in agents::EpisodeProgress, and the members below, too
  std::string technique = {};
  std::string stage = {};
  bool milestone = false;
};

struct JobControl {
  std::function<void(const JobProgress&)> progress;  ///< called on the lane's thread
  std::stop_token stop;
  std::function<bool()> parking;  ///< after a stop: true = it will be run again, false = cancelled
  std::function<void()> between_steps = {};  ///< to be called when nothing is under way: others may
                                             ///< have the lane for a while; may be empty
  std::size_t lane = 0;                      ///< number of the lane that runs it
  bool may_start_again = false;              ///< the job is tried again when the machine fails it
};

class JobRunner {
 public:
  virtual ~JobRunner() = default;

  /// Runs `job` (state running) and ends it in the store: done, cancelled or failed. Called from
  /// one thread a lane at the same time. Errors: cancelled when parked; unavailable when the
  /// machine failed it and it can go on from what the store has; whatever the store refuses. The
  /// job has not ended then.
  [[nodiscard]] virtual Result<void> run(Job job, const JobControl& control) = 0;
};

}  // namespace warpmind::daemon
