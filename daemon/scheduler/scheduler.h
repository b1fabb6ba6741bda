#pragma once
/// \file
/// The durable queue and its one lane: one job at a time, because one device measures at a time.

#include "base/clock.h"
#include "base/model/job.h"
#include "base/result.h"
#include "daemon/scheduler/job_event.h"
#include "daemon/scheduler/job_runner.h"
#include "knowledge_base/knowledge_store.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace warpmind::daemon {

inline constexpr std::int64_t kMostAttempts = 3;
inline constexpr std::size_t kMostQueued = 10'000;

struct Submitted {
  JobId id;
  std::int64_t ahead = 0;
};

struct QueueSummary {
  std::int64_t queued = 0;
  std::int64_t running = 0;
  std::vector<std::string> jobs;  ///< newest first, one line each
};

/// Does:      accept, order, start, cancel, park and resume jobs; tell who watches.
/// Does not:  know what a job does (JobRunner), or who watches it.
/// Durable:   submit() returns after the store has the job. The store is the queue; what is held
///            in memory is rebuilt from it by start().
/// Threads:   every function may be called from any thread. summary() and latest() never block on
///            the disk.
class Scheduler {
 public:
  using Observer = std::function<void(const JobEvent&)>;
  enum class Stop { park, finish };

  /// References must outlive the scheduler. `observer` is called from any thread.
  Scheduler(knowledge_base::KnowledgeStore& store, JobRunner& runner, const Clock& clock,
            Observer observer);
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Takes over the jobs of an earlier run, and starts the lane. A job that the daemon died under
  /// kMostAttempts times is failed. Errors: whatever the store refuses.
  [[nodiscard]] Result<void> start();

  /// Errors: unavailable when shutting down or full; as KnowledgeStore::add_job().
  [[nodiscard]] Result<Submitted> submit(const JobRequest& request);
  /// State after the call: cancelled, or running when it ends soon. Errors: not_found; conflict
  /// when the job has ended.
  [[nodiscard]] Result<JobState> cancel(const JobId& id);
  /// Errors: not_found.
  [[nodiscard]] Result<protocol::TaskStatusResult> status(const JobId& id) const;
  [[nodiscard]] std::optional<JobEvent> latest(const JobId& id) const;
  [[nodiscard]] QueueSummary summary() const;

  /// Starts no more jobs; parks the running one or lets it end. `park` after `finish` parks.
  /// `idle` is called once, when nothing runs any more, on the lane's thread or this one.
  void stop(Stop how, std::function<void()> idle);

 private:
  enum class Reason { none, cancel, park };
  struct Entry {
    protocol::ProgressParams progress;
    std::string task;
    std::string error;
    std::uint64_t sequence = 0;
  };

  void lane();
  std::optional<JobId> take_next();
  void run_one(const JobId& id);
  Result<Job> mark_running(const JobId& id);
  void settle(Job job, const Result<void>& ended);
  void give_up(Job job, Reason reason);
  void fail_job(Job job, std::string why);
  void put_back(const JobId& id);
  Result<void> resume(Job job);
  void remember(const Job& job, std::string line);
  void announce(const JobId& id, const std::function<void(Entry&)>& change);
  void forget_old(const JobId& ended);
  [[nodiscard]] Result<JobState> cancel_queued(const JobId& id);
  [[nodiscard]] Result<Job> load(const JobId& id) const;
  [[nodiscard]] bool at_work() const;

  knowledge_base::KnowledgeStore& store_;
  JobRunner& runner_;
  const Clock& clock_;
  Observer observer_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<JobId> queue_;
  std::map<JobId, Entry> entries_;  // unfinished jobs, and the last few finished ones
  std::deque<JobId> finished_;      // those of entries_ that are finished, oldest first
  std::uint64_t last_sequence_ = 0;
  std::optional<JobId> current_;
  std::stop_source current_stop_;
  Reason reason_ = Reason::none;
  bool draining_ = false;
  bool lane_ended_ = true;
  std::function<void()> idle_;
  std::thread lane_;
};

}  // namespace warpmind::daemon
