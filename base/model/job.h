#pragma once
/// \file
/// A job: a submitted task with its budget, durable from acceptance to result.

#include "base/clock.h"
#include "base/ids.h"
#include "base/model/episode.h"
#include "base/model/task.h"

#include <cstdint>
#include <optional>
#include <string>

namespace warpmind {

enum class JobState { queued, running, done, failed, cancelled };
WARPMIND_ENUM_NAMES(JobState, {JobState::queued, "queued"}, {JobState::running, "running"},
                    {JobState::done, "done"}, {JobState::failed, "failed"},
                    {JobState::cancelled, "cancelled"});

struct Budget {
  std::int64_t evaluations = 24;  ///< candidates judged, the baseline not counted
  double seconds = 600;           ///< wall time of the episode
  bool operator==(const Budget&) const = default;
};

struct JobRequest {
  Task task;
  Budget budget;
  Provider provider = Provider::gpu;
  bool provider_automatic = false;   ///< `sim` takes the place of `gpu` where there is none
  std::string proposer = "builtin";  ///< "builtin" or "replay"
  std::string replay_file;           ///< JSONL of candidates, for "replay"
  std::string fixture_directory;     ///< for Provider::fixture
  std::string device = {};  ///< for Provider::sim: key of the device table to predict for; empty =
                            ///< the daemon's lab.target
  bool operator==(const JobRequest&) const = default;
};

struct Job {
  JobId id;
  JobState state = JobState::queued;
  JobRequest request;
  UnixMillis submitted;
  std::int64_t attempts = 0;       ///< starts; after three crashes of the daemon under it, failed
  std::optional<Episode> episode;  ///< when done; also when cancelled after the baseline
  std::optional<WriteBackReceipt> receipt;
  std::string error;  ///< when failed
  bool operator==(const Job&) const = default;
};

}  // namespace warpmind
