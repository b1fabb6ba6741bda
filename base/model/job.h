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
#include <vector>

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

/// When a job may run, and for whom.
struct QueueTerms {
  std::string user = {};                      ///< who submitted it; shares of the daemon go by it
  std::int64_t priority = 0;                  ///< -100 to 100, higher first
  bool background = false;                    ///< night work: gives way to requests that somebody
                                              ///< waits for, and keeps the quiet hours
  std::vector<JobId> after = {};              ///< jobs that must be done first
  std::optional<UnixMillis> not_before = {};  ///< the earliest start
  std::optional<UnixMillis> deadline = {};    ///< a job not begun by then fails
  std::string night = {};                     ///< the night it belongs to; empty = none
  std::optional<double> worth = {};           ///< expected when it was accepted, of background
                                              ///< work; absent = asked at each start of the daemon
  std::string worth_why = {};                 ///< how that was made up, for a person
  bool operator==(const QueueTerms&) const = default;
};

/// What work has cost. Time in a queue is not in it.
struct Spent {
  std::int64_t evaluations = 0;  ///< candidates judged
  double seconds = 0;            ///< of active work
  double gpu_seconds = 0;        ///< in the lab
  std::int64_t tokens = 0;       ///< of language models, input and output
  std::int64_t micro_usd = 0;
  bool operator==(const Spent&) const = default;
};

/// One start of a job: the evidence behind a job given up.
struct Attempt {
  std::int64_t epoch = 0;  ///< of the lease it ran under
  std::string holder;      ///< lane or worker
  UnixMillis started;
  std::optional<UnixMillis> ended = {};
  std::string outcome = {};  ///< how it ended, one sentence; empty = not ended
  bool operator==(const Attempt&) const = default;
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
  QueueTerms terms = {};
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
  std::string error;       ///< when failed
  std::int64_t epoch = 0;  ///< of the newest lease: a result that bears an older one is refused
  bool held = false;       ///< paused: not started until resumed
  bool dead = false;       ///< given up after three attempts; `history` says why
  std::vector<Attempt> history = {};  ///< the newest last
  Spent spent = {};
  bool operator==(const Job&) const = default;
};

}  // namespace warpmind
