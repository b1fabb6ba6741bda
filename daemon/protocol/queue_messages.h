#pragma once
/// \file
/// The queue on the wire (`queue.*`), as values. Names on the wire are the field names. Amounts go
/// by name: `evaluations`, `seconds`, `gpu_seconds`, `tokens`, `usd`.

#include "base/model/job.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

/// A task for the background; what is left out is as for task.submit.
struct QueueAddParams {
  std::string directory;  ///< absolute path
  std::optional<std::int64_t> evaluations;
  std::optional<double> seconds;
  std::string provider;
  std::string proposer;
  std::string replay_file;
  std::string fixture_directory;
  std::string device;
  std::string policy;
  std::optional<std::int64_t> workers;
  std::optional<std::int64_t> seed;
  std::string model;
  std::optional<std::int64_t> tokens;
  std::optional<double> usd;
  std::optional<double> gpu_seconds;
  std::string effort;
  std::string user;                        ///< "" = the daemon's
  std::optional<std::int64_t> priority;    ///< -100 to 100, default 0
  std::vector<std::string> after;          ///< jobs that must be done first
  std::optional<std::int64_t> not_before;  ///< ms since 1970-01-01 UTC
  std::optional<std::int64_t> deadline;    ///< the same; not begun by then, it fails
  std::string every = {};                  ///< "24h", "daily@22:00"; "" = once
};
struct QueueAddResult {
  std::string job_id;
  std::int64_t ahead = 0;
};

struct QueueListParams {
  std::optional<std::int64_t> limit;  ///< jobs that are listed; default 100
};
struct QueueJob {
  std::string job_id;
  JobState state = JobState::queued;
  std::string task;
  std::string user;
  std::int64_t priority = 0;
  bool background = true;
  bool held = false;
  double value = 0;        ///< expected, per second of the device
  std::string why;         ///< that it does not run; what it does when it runs
  std::string lane = {};   ///< on which it runs; empty = on none
  std::string every = {};  ///< of a job that recurs
  bool proposed = false;   ///< the daemon thought of it
};
struct QueueLane {
  std::string name;    ///< "gpu 0", "sim"; "lane 0" where it is the only one
  std::string device;  ///< as CUDA_VISIBLE_DEVICES names it; empty = none of its own
  std::string model;
  std::string job_id;  ///< that has it; empty = none
  double busy = 0;     ///< share of the time since the daemon's start in which it had a job
};
struct QueueListResult {
  std::string night;
  bool quiet = false;
  std::int64_t waiting = 0;
  std::int64_t running = 0;
  std::vector<QueueJob> jobs;  ///< those that run, then the next first
  std::vector<QueueLane> lanes = {};
};

/// queue.pause, queue.resume, queue.cancel, queue.retry.
struct QueueJobsParams {
  std::vector<std::string> job_ids;
  bool all = false;  ///< of the background; for retry those of the newest night that failed
};
struct QueueJobsResult {
  std::vector<std::string> changed;
  std::vector<std::string> refused;  ///< one sentence each
};

struct QueueMoveParams {
  std::string job_id;
  std::int64_t priority = 0;
};

struct QueueWhyParams {
  std::string job_id;
};
struct QueueWhyResult {
  std::string job_id;
  std::string why;
  double value = 0;
  std::string worth;  ///< how the value was made up; empty for a job that does not wait
};

/// What is absent stays; an amount of 0 takes the limit away.
struct QueueRulesParams {
  std::optional<std::string> quiet_hours;
  std::map<std::string, double> night;
  std::map<std::string, double> user;
};
struct QueueRulesResult {
  std::string quiet_hours;
  bool quiet = false;
  std::string night;
  std::map<std::string, double> night_limits;
  std::map<std::string, double> night_spent;
  std::map<std::string, double> night_left;  ///< of what has a limit
  std::map<std::string, double> user_limits;
  std::map<std::string, double> user_spent;
};

struct QueueReportParams {
  std::string night;                      ///< "" = the newest
  std::vector<std::string> job_ids = {};  ///< any jobs, in this order, and no night
};
/// A candidate whose gain was predicted, and compared.
struct QueueReportPrediction {
  double predicted = 0;  ///< ratio
  double low = 0;        ///< interval in which 80 % should lie
  double high = 0;
  double ratio = 0;  ///< found
};
/// Where the given and the best kernel stand under the roofline of their device.
struct QueueReportRoofline {
  double intensity = 0;  ///< flop a byte; 0 = not known
  double given_gflops = 0;
  double best_gflops = 0;  ///< as given_gflops when nothing was better
  double peak_gflops = 0;
  double bandwidth_gb_s = 0;
};
/// What the base learned or unlearned from a job.
struct QueueReportInsight {
  std::string insight;  ///< id
  std::string change;   ///< `added`, `supported`, `contradicted`, or the state that it came to
  std::string claim;
  std::string reason;  ///< of a change of state
  std::string job_id;
};
struct QueueReportJob {
  std::string job_id;
  std::string task;
  std::string user;
  JobState state = JobState::queued;
  std::string outcome;  ///< of the episode; empty without one
  std::string provider;
  double ratio = 0;  ///< baseline time / best time; 0 = not compared
  double low = 0;
  double high = 0;
  double confidence = 0;
  std::string summary;
  std::string error;
  bool dead = false;
  std::int64_t attempts = 0;
  Spent spent;
  std::vector<Attempt> history;
  std::vector<std::string> lessons;
  std::vector<double> curve;     ///< best ratio after each candidate
  std::int64_t predicted = 0;    ///< candidates that were compared and had a predicted interval
  std::int64_t covered = 0;      ///< whose ratio lay inside it; 80 % should
  std::string device;            ///< what was measured on, or predicted for
  std::string workload;          ///< that was timed
  std::string bottleneck;        ///< of the given kernel
  double given_ns = 0;           ///< one run of the given kernel
  double best_ns = 0;            ///< of the best; 0 = nothing was better
  std::vector<std::string> how;  ///< techniques that led to the best, in their order
  std::map<std::string, std::int64_t> candidates;  ///< by outcome
  std::vector<QueueReportPrediction> predictions;
  QueueReportRoofline roofline;
};
struct QueueReportResult {
  std::string night;
  std::vector<std::string> nights;  ///< the newest first
  std::vector<QueueReportJob> jobs;
  Spent spent;
  Spent charged =
      {};  ///< of it, to the night's limits: not what jobs cost that somebody waited for
  std::map<std::string, std::int64_t> outcomes;
  std::map<std::string, double> night_limits;
  std::vector<QueueReportInsight> insights;  ///< in the order of the log
};

}  // namespace warpmind::daemon::protocol
