#pragma once
/// \file
/// When jobs run: their order, the nights and what they may spend, quiet hours, series, proposals.

#include "base/clock.h"
#include "base/model/job.h"
#include "base/result.h"
#include "daemon/protocol/queue_messages.h"
#include "daemon/scheduler/job_ledger.h"
#include "daemon/scheduler/local_time.h"
#include "daemon/scheduler/night_queue.h"
#include "knowledge_base/queue_agenda.h"
#include "knowledge_base/queue_records.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace warpmind::daemon {

inline constexpr std::size_t kMostQueued = 10'000;

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

/// The line of a job that waits.
[[nodiscard]] protocol::QueueJob queue_line(const WaitingJob& job);

/// Does:      decide which waiting job comes next and when; charge nights; keep series and
///            proposals.
/// Does not:  run jobs (LanePool) or store them (JobLedger), but the first of what it makes itself.
/// Threads:   any. Asks nobody with its lock held: it may be called with another lock held, but
///            for put(), set_rules() and tick().
class Agenda {
 public:
  struct Parts {
    const JobLedger& ledger;
    knowledge_base::QueueRecords& records;
    knowledge_base::QueueAgenda* series;  ///< null: no series and no proposals
    const Clock& clock;
    WorthSource worth;
    std::size_t most_waiting = kMostQueued;
    /// A job came, or what may start is another than before.
    std::function<void()> on_change;
  };
  explicit Agenda(Parts parts) : parts_(std::move(parts)) {}

  /// The rules, what this night has cost, series and proposals, as the base has them.
  [[nodiscard]] Result<void> load();

  /// Whether a job more may come. Errors: unavailable when closed or full.
  [[nodiscard]] Result<void> admit() const;
  /// No more jobs come, and time passes for none.
  void close();
  [[nodiscard]] bool is_closed() const;
  /// With what it is expected to be worth, kept with the job: the order of a night that is started
  /// again is that of an undisturbed one.
  [[nodiscard]] JobRequest with_worth(JobRequest request) const;

  /// A job that the store has: into the queue. `delay`: not before it has passed.
  void put(const Job& job, std::chrono::seconds delay = {});
  void put(WaitingJob waiting);
  /// Out of the queue, as long as it waits.
  [[nodiscard]] std::optional<WaitingJob> take(const JobId& id);

  /// As of NightQueue, at this moment.
  [[nodiscard]] std::optional<Lease> claim(Claimable which, const LaneSkills& lane);
  void unclaim(const JobId& id);
  void renew(const JobId& id);
  [[nodiscard]] bool settle(const Lease& lease, const Spent& cost);
  /// `job` has ended for good. `late` is charged to its night.
  void note_end(const Job& job, const Spent& late);
  /// A lease was taken back: what `job` cost under it is charged to its night.
  void charge_lost_lease(const Job& job, const Passing& passing);
  /// What the passing of time did.
  [[nodiscard]] std::vector<Passing> tick();

  [[nodiscard]] std::size_t waiting() const;
  [[nodiscard]] bool waits(const JobId& id) const;
  /// Jobs before it; nullopt when a lane has it already.
  [[nodiscard]] std::optional<std::int64_t> ahead_of(const JobId& id) const;
  /// Whether work in the background rests now.
  [[nodiscard]] bool is_quiet() const;
  /// Name of the night of now.
  [[nodiscard]] std::string night_now() const;
  [[nodiscard]] NightView night(const std::string& user) const;
  /// Errors: invalid_argument for the hours; what the store refuses.
  [[nodiscard]] Result<void> set_rules(const knowledge_base::QueueRules& rules);

  /// Why a job waits; nullopt for one that does not.
  [[nodiscard]] std::optional<QueueReason> why_waiting(const JobId& id) const;
  /// Of a series or a proposal, for a person: lines more; empty for any other.
  [[nodiscard]] std::string origin_text(const JobId& id) const;
  /// All that wait, the next first.
  [[nodiscard]] std::vector<protocol::QueueJob> waiting_lines() const;
  /// The line of a job that a lane has.
  [[nodiscard]] protocol::QueueJob leased_line(const JobId& id) const;
  /// Adds what is known of their origin.
  void add_origins(std::vector<protocol::QueueJob>& lines) const;

  /// The first job of a series, stored with it. Errors: invalid_argument for `every`, or terms that
  /// cannot recur; as admit(); what the store refuses.
  [[nodiscard]] Result<Job> begin_series(JobRequest request, const std::string& every);
  /// Stores the next job of each series whose job has ended, and returns them. A cancelled one ends
  /// its series.
  [[nodiscard]] std::vector<Job> continue_series();
  /// Errors: conflict for a subject that was proposed before; as admit(); what the store refuses.
  [[nodiscard]] Result<Job> propose(const JobRequest& request,
                                    const knowledge_base::JobProposal& proposal, bool held);
  [[nodiscard]] bool was_proposed(const std::string& subject) const;

 private:
  [[nodiscard]] Result<void> charge_this_night();
  [[nodiscard]] Result<std::optional<Job>> continue_one(const knowledge_base::JobSeries& series,
                                                        const Job& last);
  [[nodiscard]] WaitingJob waiting_job(const Job& job) const;
  [[nodiscard]] bool has_time_changed_something();
  [[nodiscard]] Moment moment() const;

  Parts parts_;
  mutable std::mutex mutex_;
  NightQueue queue_;
  mutable SteadyWall wall_;
  bool closed_ = false;
  // When the clock was last looked at: the night, whether it was quiet, who waited for a moment.
  std::tuple<std::string, bool, std::int64_t> seen_ = {};
  std::vector<knowledge_base::JobSeries> series_;
  std::map<JobId, knowledge_base::JobProposal> proposals_;
};

}  // namespace warpmind::daemon
