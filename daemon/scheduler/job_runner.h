#pragma once
/// \file
/// What a lane does with a job.

#include "base/model/job.h"
#include "base/result.h"

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
};

struct JobControl {
  std::function<void(const JobProgress&)> progress;  ///< called on the lane's thread
  std::stop_token stop;
  std::function<bool()> parking;  ///< after a stop: true = it will be run again, false = cancelled
  std::function<void()> between_steps = {};  ///< to be called when nothing is under way: others may
                                             ///< have the lane for a while; may be empty
};

class JobRunner {
 public:
  virtual ~JobRunner() = default;

  /// Runs `job` (state running) and ends it in the store: done, cancelled or failed.
  /// Errors: cancelled when parked, the store being untouched; whatever the store refuses.
  [[nodiscard]] virtual Result<void> run(Job job, const JobControl& control) = 0;
};

}  // namespace warpmind::daemon
