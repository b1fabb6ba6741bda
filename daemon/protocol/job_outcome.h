#pragma once
/// \file
/// A job and what its episode came to, as lists and reports tell it.

#include "base/model/job.h"

#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

/// Described by those who hold it.
struct JobOutcome {
  std::string job_id;
  JobState state = JobState::queued;
  std::string task;
  // The rest only where there is an episode.
  std::string outcome = {};
  std::string summary = {};
  std::string device = {};      ///< "NVIDIA H200"
  std::string bottleneck = {};  ///< of the given kernel
  double given_ns = 0;          ///< 0 = not measured
  double best_ns = 0;
  std::vector<std::string> how = {};
  std::vector<double> curve = {};
  bool operator==(const JobOutcome&) const = default;
};

}  // namespace warpmind::daemon::protocol
