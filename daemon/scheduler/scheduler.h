#pragma once
/// \file
/// The durable queue: a ledger of jobs, an agenda that says which comes next, and a pool of lanes
/// that run them.

#include "base/clock.h"
#include "base/model/job.h"
#include "base/result.h"
#include "daemon/protocol/queue_messages.h"
#include "daemon/scheduler/agenda.h"
#include "daemon/scheduler/job_event.h"
#include "daemon/scheduler/job_ledger.h"
#include "daemon/scheduler/job_runner.h"
#include "daemon/scheduler/lane.h"
#include "daemon/scheduler/lane_pool.h"
#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/queue_agenda.h"
#include "knowledge_base/queue_records.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace warpmind::daemon {

struct Submitted {
  JobId id;
  std::int64_t ahead = 0;
};

struct QueueSummary {
  std::int64_t queued = 0;
  std::int64_t running = 0;
  std::vector<std::string> jobs;  ///< newest first, one line each
};

/// Does:      accept, cancel, amend and explain jobs; decide what follows when a start of one ends.
/// Does not:  know what a job does (JobRunner), or who watches it.
/// Durable:   submit() returns after the store has the job, and so do all that change one. The
///            store is the queue; what is held in memory is rebuilt from it by start().
/// Threads:   every function may be called from any thread. summary() and latest() never block on
///            the disk.
class Scheduler {
 public:
  using Observer = JobLedger::Observer;
  enum class Stop { park, finish };
  struct Parts {
    knowledge_base::KnowledgeStore& store;
    knowledge_base::QueueRecords& records;
    JobRunner& runner;
    const Clock& clock;
    std::vector<LaneSpec> lanes = {LaneSpec{}};     ///< at least one
    knowledge_base::QueueAgenda* agenda = nullptr;  ///< null: no series and no proposals
    std::size_t most_waiting = kMostQueued;
    /// Told when what list(), lanes() or night() answer is another than before; of jobs that start
    /// and end the observer is told. From any thread, with locks held: it must only take note.
    std::function<void()> on_change = {};
  };

  /// References must outlive the scheduler. `observer` is called from any thread. Without `worth`
  /// jobs of the same priority go in the order of acceptance.
  Scheduler(Parts parts, Observer observer, WorthSource worth = {});
  ~Scheduler();
  Scheduler(const Scheduler&) = delete;
  Scheduler& operator=(const Scheduler&) = delete;

  /// Takes over the jobs of an earlier run, and starts the lanes. A job that the daemon died under
  /// kMostAttempts times is given up. Errors: whatever the store refuses.
  [[nodiscard]] Result<void> start();

  /// Errors: unavailable when shutting down or full; not_found for a job to come after; as
  /// KnowledgeStore::add_job().
  [[nodiscard]] Result<Submitted> submit(const JobRequest& request);
  /// A job that recurs: when one has ended, the next is queued. Errors: invalid_argument for
  /// `every`, or terms that cannot recur; as submit().
  [[nodiscard]] Result<Submitted> submit_series(JobRequest request, const std::string& every);
  /// A job that the daemon itself thinks of; `held`: it waits for a person. Each subject once.
  /// Errors: conflict for a subject that was proposed before; as submit().
  [[nodiscard]] Result<Submitted> propose(const JobRequest& request,
                                          const knowledge_base::JobProposal& proposal, bool held);
  [[nodiscard]] bool was_proposed(const std::string& subject) const {
    return agenda_.was_proposed(subject);
  }
  /// State after the call: cancelled, or running when it ends soon. Errors: not_found; conflict
  /// when the job has ended.
  [[nodiscard]] Result<JobState> cancel(const JobId& id);
  /// Errors: not_found.
  [[nodiscard]] Result<protocol::TaskStatusResult> status(const JobId& id) const {
    return ledger_.status(id);
  }
  [[nodiscard]] std::optional<JobEvent> latest(const JobId& id) const { return ledger_.latest(id); }
  [[nodiscard]] QueueSummary summary() const;
  [[nodiscard]] std::vector<LaneView> lanes() const { return pool_.view(); }

  // Orders of people to the queue. Errors: not_found; conflict for a job that does not wait; what
  // the store refuses.
  /// Keeps a waiting job from being started, or lets it go again.
  [[nodiscard]] Result<void> hold(const JobId& id, bool held);
  [[nodiscard]] Result<void> move(const JobId& id, std::int64_t priority);
  /// Queues a job again that failed, or was cancelled before anything was measured.
  [[nodiscard]] Result<void> retry(const JobId& id);
  /// Why a job does not run, or what became of it: a sentence.
  [[nodiscard]] Result<QueueReason> why(const JobId& id) const;
  /// Those that run, then those that wait, the next first.
  [[nodiscard]] std::vector<protocol::QueueJob> list() const;
  [[nodiscard]] NightView night(const std::string& user) const { return agenda_.night(user); }
  /// Errors: also invalid_argument for the hours.
  [[nodiscard]] Result<void> set_rules(const knowledge_base::QueueRules& rules) {
    return agenda_.set_rules(rules);
  }

  /// Starts no more jobs; parks the running one or lets it end. `park` after `finish` parks.
  /// `idle` is called once, when nothing runs any more, on the last lane's thread or this one.
  void stop(Stop how, std::function<void()> idle);

  /// Takes note of the time that passed: deadlines, leases, series, ends that could not be stored.
  /// The scheduler calls it by itself.
  void look_at_the_clock();

 private:
  void keep_time(const std::stop_token& stop);
  void tell_change() const;
  [[nodiscard]] Submitted enqueue(const Job& job);
  void continue_series();
  [[nodiscard]] Result<void> amend(const JobId& id, const std::function<void(Job&)>& change);
  [[nodiscard]] Result<QueueReason> state_of(const JobId& id) const;
  void run_job(const SharedRun& run);
  void run_and_settle(const SharedRun& run);
  void settle(const SharedRun& run, Job job, const Result<void>& ended, double seconds);
  void end_interrupted(Job job, Interruption interruption);
  void retry_start(Job job, std::string why);
  void note_passing(const Passing& passing);
  void lose_lease(Job job, const Passing& passing);

  JobRunner& runner_;
  const Clock& clock_;
  const std::function<void()> on_change_;
  JobLedger ledger_;
  Agenda agenda_;
  LanePool pool_;
  std::jthread keeper_;
};

}  // namespace warpmind::daemon
