#pragma once
/// \file
/// Which jobs there are and how they stand: in the store, and in memory for those who ask and
/// watch.

#include "base/clock.h"
#include "base/model/job.h"
#include "base/result.h"
#include "daemon/scheduler/job_event.h"
#include "daemon/scheduler/job_news.h"
#include "daemon/scheduler/night_queue.h"
#include "knowledge_base/knowledge_store.h"

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon {

inline constexpr std::int64_t kMostAttempts = 3;

/// Whether the store may take the same change later: a full disk, for one.
[[nodiscard]] bool may_be_taken_later(const Error& refusal);

/// Does:      keep jobs in the store and their newest state in memory; tell who watches.
/// Does not:  order jobs (Agenda) or run them (LanePool).
/// Durable:   what changes a job returns after the store has it. An end that a full disk refuses is
///            stored later, and told then.
/// Exactly    a start gives the job a new epoch in the store, which refuses whatever bears an older
/// once:      one; the result, its cost and the end of the job are one change of the store.
/// Threads:   any. The observers are called without a lock held.
class JobLedger {
 public:
  using Observer = JobNews::Observer;
  /// Told of an end before the observer. `late`: cost that came after its last start was charged.
  using EndObserver = std::function<void(const Job& ended, const Spent& late)>;

  /// References must outlive the ledger.
  JobLedger(knowledge_base::KnowledgeStore& store, const Clock& clock, Observer observer,
            EndObserver on_end);

  /// Takes over the jobs of an earlier run and returns those that wait. A job that the daemon died
  /// under kMostAttempts times is given up. Errors: whatever the store refuses.
  [[nodiscard]] Result<std::vector<Job>> take_over();

  /// Errors: not_found; what the store refuses.
  [[nodiscard]] Result<Job> find_job(const JobId& id) const;
  /// Errors: as KnowledgeStore::add_job().
  [[nodiscard]] Result<Job> add_job(const JobRequest& request);
  [[nodiscard]] Result<void> update_job(const Job& job) { return store_.update_job(job); }
  /// The same, with a refusal in the log: "cannot record `what`".
  [[nodiscard]] Result<void> record(const Job& job, const char* what);

  /// Marks a job as started under `lease`. Errors: conflict when it has ended.
  [[nodiscard]] Result<Job> begin_start(const Lease& lease, const std::string& holder,
                                        const std::string& night);
  /// Ends the newest start; the job itself is not stored yet.
  void close_start(Job& job, const std::string& outcome) const;
  /// What earlier starts have left that the next one goes on from.
  [[nodiscard]] Spent kept_of(const Job& job) const;
  /// Whether the newest start has kept a step that the one before it had not.
  [[nodiscard]] bool got_further(const Job& job) const;

  /// Ends a job that neither waits in the queue nor runs. Errors: not_found; conflict when it has
  /// ended or takes its candidates from outside.
  [[nodiscard]] Result<JobState> cancel_waiting(const JobId& id);
  /// A job that failed or was cancelled, as it is when it is queued again; nothing is stored yet.
  /// Errors: not_found; conflict for any other.
  [[nodiscard]] Result<Job> reopened(const JobId& id) const;
  /// Stores the end of `job` and tells it. What is told must be true after a restart as well: an
  /// end that the disk refuses is told when it has been stored, and the job runs until then.
  void end_job(Job job);
  void fail_job(Job job, std::string why);
  /// The store has the job's end: it is told. `late` as for EndObserver.
  void tell_stored_end(const Job& stored, const Spent& late = {});
  /// Whether `job`, a change of which was refused, has ended meanwhile: a result that comes while a
  /// failure of its start is being recorded counts.
  [[nodiscard]] bool has_ended_meanwhile(const Job& job);
  /// Tries once more to store the ends that the disk refused.
  void store_ends();

  /// Takes the stored state over; nobody is told.
  void remember(const Job& job, std::string line) { news_.remember(job, std::move(line)); }
  /// Tells that a job waits or runs.
  void announce(const JobId& id, JobState state, std::string line);
  /// The same without a change of its state.
  void announce_line(const JobId& id, std::string line);
  void announce_progress(const JobId& id, const JobProgress& progress);

  /// Known, and not ended. Never blocks on the disk.
  [[nodiscard]] bool is_open(const JobId& id) const { return news_.is_open(id); }
  [[nodiscard]] std::optional<JobEvent> latest(const JobId& id) const { return news_.latest(id); }
  [[nodiscard]] std::optional<protocol::TaskStatusResult> known_status(const JobId& id) const {
    return news_.status(id);
  }
  /// Errors: not_found.
  [[nodiscard]] Result<protocol::TaskStatusResult> status(const JobId& id) const;
  /// The newest first, one line each.
  [[nodiscard]] std::vector<std::string> lines(std::size_t limit) const {
    return news_.lines(limit);
  }
  /// What became of a job, with each of its starts. Errors: not_found.
  [[nodiscard]] Result<std::string> history_text(const JobId& id) const;

 private:
  [[nodiscard]] Result<bool> take_over_one(Job& job);
  void await_space(Job job, const Error& refusal);
  void tell_end(const Job& job);

  knowledge_base::KnowledgeStore& store_;
  const Clock& clock_;
  JobNews news_;
  EndObserver on_end_;
  std::mutex mutex_;
  std::vector<Job> unstored_;  // that have ended, while the disk takes nothing
};

}  // namespace warpmind::daemon
