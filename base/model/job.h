#pragma once
/// \file
/// A job: a submitted task with its budget, durable from acceptance to result.

#include "base/clock.h"
#include "base/ids.h"
#include "base/model/effort.h"
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
  std::int64_t tokens = 0;        ///< of language models, input and output; 0 = no limit
  std::int64_t micro_usd = 0;     ///< for language models; 0 = no limit
  double gpu_seconds = 0;         ///< spent in the lab; 0 = no limit
  bool operator==(const Budget&) const = default;
};

struct JobRequest {
  Task task;
  Budget budget;
  Provider provider = Provider::gpu;
  bool provider_automatic = false;   ///< `sim` takes the place of `gpu` where there is none
  std::string proposer = "builtin";  ///< "builtin", "llm", "external" or "replay"
  std::string replay_file;           ///< JSONL of candidates, for "replay"
  std::string fixture_directory;     ///< for Provider::fixture
  std::string device = {};  ///< for Provider::sim: key of the device table to predict for; empty =
                            ///< the daemon's lab.target
  std::string policy = "greedy";  ///< agents/search: greedy, fsr, mcgs, evolve, turns, auto
  std::int64_t workers = 1;       ///< candidates written at the same time
  std::uint64_t seed = 0;         ///< of the search; 0 = drawn from the episode's name
  std::string model = {};  ///< for "llm": "", "rules:FILE", "replay:FILE", or the name that the
                           ///< endpoint knows; empty = the daemon's llm.model
  Effort effort = Effort::normal;  ///< of the lab, for every candidate
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
