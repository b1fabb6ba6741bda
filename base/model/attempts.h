#pragma once
/// \file
/// The history of a job's starts: the evidence when it is given up.

#include "base/model/job.h"

#include <cstddef>
#include <string>
#include <utility>

namespace warpmind {

/// Older ones are dropped: a job may be parked any number of times.
inline constexpr std::size_t kMostHistory = 20;

inline void begin_attempt(Job& job, std::string holder, UnixMillis now) {
  if (job.history.size() >= kMostHistory) job.history.erase(job.history.begin());
  job.history.push_back({job.epoch, std::move(holder), now});
}

/// Ends the attempt under which `job` runs, if it has one.
inline void close_attempt(Job& job, UnixMillis now, std::string outcome) {
  if (job.history.empty() || job.history.back().ended) return;
  job.history.back().ended = now;
  job.history.back().outcome = std::move(outcome);
}

}  // namespace warpmind
