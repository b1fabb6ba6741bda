#pragma once
/// \file
/// The durable queue and its lanes: one job at a time each, because a device measures one at a
/// time.

#include "base/clock.h"
#include "base/model/job.h"
#include "base/result.h"
#include "daemon/scheduler/job_event.h"
#include "daemon/scheduler/job_news.h"
#include "daemon/scheduler/job_runner.h"
#include "daemon/scheduler/lane.h"
#include "daemon/scheduler/night_queue.h"
#include "knowledge_base/knowledge_store.h"
#include "knowledge_base/queue_agenda.h"
#include "knowledge_base/queue_records.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <tuple>
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

/// A job that waits or runs, and why it does not run yet.
struct QueueLine {
  JobId id;
  JobState state = JobState::queued;
  std::string task;
  QueueTerms terms;
  bool held = false;
  double value = 0;
  std::string why;
  std::string lane = {};   ///< on which it runs
  std::string every = {};  ///< of a job that recurs
  bool proposed = false;   ///< the daemon thought of it
};

/// Why a job does not run, and what it is worth.
struct QueueReason {
  std::string text;
  JobWorth worth = {};  ///< of a job that waits
};

/// What the night may spend, and has.
struct NightView {
  knowledge_base::QueueRules rules;
  std::string night;
  Spent spent;    ///< by all; what runs counts in full
  Spent by_user;  ///< by the user that was asked for
  bool quiet = false;
};

/// What a job is worth to the queue; asked without a lock held.
using WorthSource = std::function<JobWorth(const JobRequest&)>;

/// Does:      accept, order, start, cancel, park and resume jobs; tell who watches.
/// Does not:  know what a job does (JobRunner), or who watches it.
/// Durable:   submit() returns after the store has the job, and so do all that change one. The
///            store is the queue; what is held in memory is rebuilt from it by start().
/// Exactly    a start gives the job a new epoch in the store, which refuses whatever bears an older
/// once:      one; the result, its cost and the end of the job are one change of the store.
/// Threads:   every function may be called from any thread. summary() and latest() never block on
///            the disk.
class Scheduler {
 public:
  using Observer = JobNews::Observer;
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
  [[nodiscard]] bool was_proposed(const std::string& subject) const;
  /// State after the call: cancelled, or running when it ends soon. Errors: not_found; conflict
  /// when the job has ended.
  [[nodiscard]] Result<JobState> cancel(const JobId& id);
  /// Errors: not_found.
  [[nodiscard]] Result<protocol::TaskStatusResult> status(const JobId& id) const;
  [[nodiscard]] std::optional<JobEvent> latest(const JobId& id) const { return news_.latest(id); }
  [[nodiscard]] QueueSummary summary() const;
  [[nodiscard]] std::vector<LaneView> lanes() const;

  // Orders to the queue (queue_orders.cpp). Errors: not_found; conflict for a job that does not
  // wait; what the store refuses.
  /// Keeps a waiting job from being started, or lets it go again.
  [[nodiscard]] Result<void> hold(const JobId& id, bool held);
  [[nodiscard]] Result<void> move(const JobId& id, std::int64_t priority);
  /// Queues a job again that failed, or was cancelled before anything was measured.
  [[nodiscard]] Result<void> retry(const JobId& id);
  /// Why a job does not run, or what became of it: a sentence.
  [[nodiscard]] Result<QueueReason> why(const JobId& id) const;
  /// Those that run, then those that wait, the next first.
  [[nodiscard]] std::vector<QueueLine> list() const;
  [[nodiscard]] NightView night(const std::string& user) const;
  /// Errors: also invalid_argument for the hours.
  [[nodiscard]] Result<void> set_rules(const knowledge_base::QueueRules& rules);

  /// Starts no more jobs; parks the running one or lets it end. `park` after `finish` parks.
  /// `idle` is called once, when nothing runs any more, on the last lane's thread or this one.
  void stop(Stop how, std::function<void()> idle);

  /// Takes note of the time that passed: deadlines, leases, series, ends that could not be stored.
  /// The scheduler calls it by itself.
  void look_at_the_clock();

 private:
  enum class Reason { none, cancel, park };
  struct Run {
    Lease lease;
    std::size_t lane = 0;
    std::stop_source stop;
    Reason reason = Reason::none;
    std::chrono::steady_clock::duration rested{};  // while others had the lane
  };
  using SharedRun = std::shared_ptr<Run>;
  struct Lane {
    LaneSpec spec;
    std::vector<SharedRun> running = {};  // the last one has the lane; those before made way for it
    std::chrono::steady_clock::duration busy{};        // with jobs that have left it
    std::chrono::steady_clock::time_point since = {};  // it has had a job; while there is one
    std::thread thread = {};
  };

  void work(std::size_t lane);
  void keep_time(const std::stop_token& stop);
  SharedRun take_next(std::size_t lane);
  SharedRun claimed(const Moment& now, Claimable which, std::size_t lane);
  [[nodiscard]] bool should_leave_to_others(const Lane& mine) const;
  [[nodiscard]] bool is_awaited_beside(std::size_t lane) const;
  void leave(const SharedRun& run);
  void make_way(const SharedRun& run);
  void run_claimed(const SharedRun& run);
  void run_one(const SharedRun& run);
  [[nodiscard]] JobControl control_of(const SharedRun& run);
  [[nodiscard]] std::string night_now() const;
  [[nodiscard]] Result<Job> mark_running(const Run& run);
  void settle(const SharedRun& run, Job job, const Result<void>& ended, double seconds);
  void give_up(Job job, Reason reason);
  void start_failed(Job job, std::string why);
  void took_end(const Job& stored);
  bool has_ended_meanwhile(const Job& job);
  void fail_job(Job job, std::string why);
  void conclude(Job job);
  void await_space(Job job, const Error& refusal);
  void store_ends();
  void tell_end(const Job& job);
  void pass(const Passing& passing);
  void lose_lease(Job job, const Passing& passing);
  [[nodiscard]] Result<void> resume(Job job);
  [[nodiscard]] Result<void> admit() const;
  Submitted accepted(const Job& job);
  [[nodiscard]] Result<void> load_agenda();
  void continue_series();
  [[nodiscard]] Result<void> continue_one(const knowledge_base::JobSeries& series, const Job& last);
  [[nodiscard]] Result<QueueReason> state_of(const JobId& id) const;
  [[nodiscard]] std::vector<QueueLine> plain_list() const;
  [[nodiscard]] std::string recurrence_of(const JobId& id) const;
  [[nodiscard]] std::string proposal_of(const JobId& id) const;
  [[nodiscard]] Result<void> count_the_night();
  void enter(WaitingJob waiting);
  void put_back(const Job& job, std::chrono::seconds delay = {});
  void tell_change() const;
  [[nodiscard]] bool time_changed_something();
  [[nodiscard]] JobRequest valued(JobRequest request) const;
  [[nodiscard]] WaitingJob waiting_of(const Job& job) const;
  [[nodiscard]] Spent kept_of(const Job& job) const;
  [[nodiscard]] bool got_further(const Job& job) const;
  [[nodiscard]] Result<void> amend(const JobId& id, const std::function<void(Job&)>& change);
  [[nodiscard]] Result<void> record(const Job& job, const char* what);
  [[nodiscard]] Result<JobState> cancel_queued(const JobId& id);
  [[nodiscard]] Result<Job> load(const JobId& id) const;
  [[nodiscard]] SharedRun run_of(const JobId& id) const;
  [[nodiscard]] bool has_lane(const SharedRun& run) const;
  [[nodiscard]] std::vector<SharedRun> runs() const;
  [[nodiscard]] std::int64_t running_jobs() const;
  [[nodiscard]] Moment moment() const;

  knowledge_base::KnowledgeStore& store_;
  knowledge_base::QueueRecords& records_;
  knowledge_base::QueueAgenda* agenda_;
  JobRunner& runner_;
  const Clock& clock_;
  std::size_t most_waiting_;
  JobNews news_;
  WorthSource worth_;
  const std::function<void()> on_change_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  NightQueue queue_;
  std::vector<Job> unstored_;  // that have ended, while the disk takes nothing
  mutable SteadyWall wall_;
  std::vector<Lane> lanes_;  // their number is fixed
  std::chrono::steady_clock::time_point started_ = {};
  // When the clock was last looked at: the night, whether it was quiet, who waited for a moment.
  std::tuple<std::string, bool, std::int64_t> seen_ = {};
  bool draining_ = false;
  std::size_t lanes_at_work_ = 0;
  std::function<void()> idle_;
  mutable std::mutex agenda_mutex_;  // of the two below; never held while mutex_ is taken
  std::vector<knowledge_base::JobSeries> series_;
  std::map<JobId, knowledge_base::JobProposal> proposals_;
  std::jthread keeper_;
};

}  // namespace warpmind::daemon
