#pragma once
/// \file
/// The methods of the wire as values. Names on the wire are the field names. Formats, limits and
/// error codes: docs/protocol.md, which a test holds to daemon/protocol/method_table.

#include "base/model/episode.h"
#include "base/model/job.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

inline constexpr std::int64_t kProtocolVersion = 1;

/// First line from the daemon on every connection (notification `greeting`), and result of `hello`.
struct Greeting {
  std::string server = "warpmindd";
  std::string version;  ///< "0.1.0"
  std::int64_t protocol = kProtocolVersion;
  std::int64_t pid = 0;
  std::vector<std::string> capabilities;  ///< method names and features ("progress", "cancel")
};

struct HelloParams {
  std::string client;  ///< "warpmind 0.1.0", for the log
  std::int64_t protocol = kProtocolVersion;
};

struct StatusResult {
  std::string version;
  std::int64_t pid = 0;
  double uptime_s = 0;
  std::string mode;    ///< "gpu", "fixture", or "static" when no device is usable
  std::string device;  ///< "NVIDIA H200 (sm_90, driver …)", empty without one
  std::string note;    ///< why the mode is not better, and the way out
  std::string state_directory;
  std::int64_t queued = 0;
  std::int64_t running = 0;
  std::int64_t connections = 0;
  bool degraded = false;
  std::vector<std::string>
      jobs;  ///< newest first, "j-0000000007 running row_softmax_f16 step 3 of 24"
  std::vector<std::string> lanes = {};  ///< "gpu 0 (NVIDIA H200): j-0000000007, busy 83 %"
};

struct TaskValidateParams {
  std::string directory;  ///< absolute path
};
struct TaskValidateResult {
  std::string task_id;
  std::string name;
  std::vector<std::string> workloads;
  std::vector<std::string> warnings;
};

struct TaskSubmitParams {
  std::string directory;                    ///< absolute path
  std::optional<std::int64_t> evaluations;  ///< default: episode.evaluations
  std::optional<double> seconds;            ///< default: episode.seconds
  std::string provider;                     ///< "" = lab.provider
  std::string proposer;                     ///< "" = "builtin"; "llm", "external", "replay"
  std::string replay_file;                  ///< absolute path
  std::string fixture_directory;            ///< absolute path; "" = lab.fixture_directory
  std::string device = {};  ///< row of the device table to predict for; "" = lab.target
  bool watch = false;       ///< send `task.progress` notifications on this connection
  std::string policy = {};  ///< "" = episode.policy
  std::optional<std::int64_t> workers = {};  ///< default: episode.workers
  std::optional<std::int64_t> seed = {};     ///< default: drawn from the episode's name
  std::string model = {};                    ///< "" = llm.model
  std::optional<std::int64_t> tokens = {};   ///< default: episode.tokens
  std::optional<double> usd = {};            ///< default: episode.usd
  std::optional<double> gpu_seconds = {};    ///< default: no limit
  std::string effort = {};                   ///< "" = lab.effort; "quick", "normal", "strict"
};
struct TaskSubmitResult {
  std::string job_id;
  std::int64_t ahead = 0;  ///< jobs before it
};

struct JobParams {  ///< task.status, task.cancel, task.result
  std::string job_id;
  bool watch = false;  ///< task.status only: also subscribe
};
struct TaskStatusResult {
  std::string job_id;
  JobState state = JobState::queued;
  std::string task;
  std::int64_t step = 0;   ///< candidates judged so far
  std::int64_t steps = 0;  ///< budget
  double best_ratio = 1;   ///< baseline / best, from verdicts so far
  std::string activity;    ///< "judging block_size block_x=512: full_oracle"
  std::string error;
};
struct TaskCancelResult {
  JobState state = JobState::cancelled;  ///< running jobs answer "running" and end soon after
};
struct TaskResultResult {
  Job job;  ///< with episode and receipt when there are any
};

/// Notification `task.progress`; the last one of a job has a final state.
struct ProgressParams {
  std::string job_id;
  JobState state = JobState::running;
  std::int64_t step = 0;
  std::int64_t steps = 0;
  double best_ratio = 1;
  std::string line;            ///< for a person, one line
  std::int64_t candidate = 0;  ///< that is worked at, from 1; 0 = the given kernel
  std::string technique = {};  ///< of that candidate
  std::string stage = {};      ///< what is being done to it now: "building"; empty = nothing
  bool milestone = false;      ///< worth a line in a log: a kernel was judged, memory was asked
};

/// Of the search index that is held in memory.
struct IndexFigures {
  std::int64_t documents = 0;  ///< that may be offered
  std::int64_t dead = 0;       ///< superseded entries, until the next rebuild
  std::int64_t memory_bytes = 0;
  bool from_snapshot = false;  ///< the daemon's start read it from files
  std::string embedders;       ///< ids
  std::string endpoint;        ///< what the embeddings endpoint does; empty = none is set
};
struct KbStatsResult {
  std::int64_t schema_version = 0;
  std::int64_t last_sequence = 0;
  std::map<std::string, std::int64_t> records;
  std::map<std::string, std::int64_t> episodes_by_outcome;
  std::int64_t disk_bytes = 0;
  bool degraded = false;
  std::string note;
  std::map<std::string, std::int64_t> insights;  ///< "state.confirmed" → 12
  IndexFigures index;
};

enum class ShutdownMode { finish, park };
struct ShutdownParams {
  ShutdownMode mode = ShutdownMode::park;  ///< finish: let the running job end; park: requeue it
};
struct Empty {};

}  // namespace warpmind::daemon::protocol

namespace warpmind {
WARPMIND_ENUM_NAMES(daemon::protocol::ShutdownMode,
                    {daemon::protocol::ShutdownMode::finish, "finish"},
                    {daemon::protocol::ShutdownMode::park, "park"});
}  // namespace warpmind
