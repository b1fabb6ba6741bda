#pragma once
/// \file
/// Which job comes next: order, permission, leases and budgets of the queue. No clock, no disk.

#include "base/model/job.h"
#include "daemon/scheduler/lane.h"
#include "daemon/scheduler/local_time.h"
#include "knowledge_base/queue_records.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace warpmind::daemon {

/// A lease without a sign of life for so long is taken back.
inline constexpr std::chrono::seconds kLeaseTime{1800};

/// What a job is expected to be worth, per second of the device (docs/queues.md).
struct JobWorth {
  double value = 0;
  std::string why = {};  ///< how it was made up, for a person
};

/// A job that waits.
struct WaitingJob {
  JobId id;
  std::string task;
  QueueTerms terms;
  Budget budget;
  Provider provider = Provider::gpu;  ///< which lanes may run it
  Spent spent;                        ///< of earlier starts
  Spent kept = {};  ///< of `spent`: what the next start goes on from, and does not spend again
  std::int64_t epoch = 0;
  bool held = false;
  std::set<JobId> unfinished = {};  ///< of terms.after
  std::string doomed = {};          ///< why it can never start; empty = it can
  std::optional<std::chrono::steady_clock::time_point> again = {};  ///< not before, after an error
  JobWorth worth = {};
};

/// The right to run a job and to end it.
struct Lease {
  JobId id;
  std::int64_t epoch = 0;
  Budget granted;     ///< what the job may spend, with what was kept of earlier starts: its own
                      ///< budget, or what is left of the night's
  std::string night;  ///< in which it runs; empty for a job that somebody waits for
};

/// What the passing of time did.
struct Passing {
  enum class Kind { doomed, late, lease_lost };
  Kind kind = Kind::late;
  JobId id;
  std::int64_t epoch = 0;  ///< of the lost lease
  std::string why;
  std::string night = {};  ///< of the lost lease
  Spent before = {};       ///< what the job had cost when that lease was given
};

enum class Claimable { every_job, awaited_jobs };  ///< awaited: somebody waits for it

/// Does:      keep waiting and leased jobs; choose; reserve and charge budgets; say why.
/// Does not:  read clocks or disks: the same calls give the same choices.
/// Threads:   one at a time.
class NightQueue {
 public:
  /// Errors: invalid_argument for the hours.
  [[nodiscard]] Result<void> set_rules(const knowledge_base::QueueRules& rules);
  [[nodiscard]] const knowledge_base::QueueRules& rules() const { return rules_; }
  /// Counts what `user` spent in `night` before; of the newest night only.
  void charge(const std::string& night, const std::string& user, const Spent& spent);

  void put(WaitingJob job);
  /// Out of the queue, as long as it waits.
  std::optional<WaitingJob> take(const JobId& id);

  /// The best job that may start now on such a lane, with a new epoch and its budget reserved.
  [[nodiscard]] std::optional<Lease> claim(const Moment& now,
                                           Claimable which = Claimable::every_job,
                                           const LaneSkills& lane = {});
  /// Gives a claimed job back, as if it had not been claimed.
  void unclaim(const JobId& id);
  /// A sign of life.
  void renew(const JobId& id, const Moment& now);
  /// Ends a lease and charges what it cost. False when a newer lease was given or it was taken
  /// back: whatever was brought must not be used.
  [[nodiscard]] bool settle(const JobId& id, std::int64_t epoch, const Spent& cost);
  /// `id` has ended for good: jobs that come after it may start, or never will.
  void ended(const JobId& id, JobState state);
  /// Jobs that can never start, that are too late, and leases without a sign of life. Each is out
  /// of the queue then.
  [[nodiscard]] std::vector<Passing> tick(const Moment& now);

  /// Why a waiting job does not run now, or that it is next. Empty for a job that does not wait.
  [[nodiscard]] std::string why(const JobId& id, const Moment& now) const;
  /// Why `job` may not start now; empty = it may.
  [[nodiscard]] std::string obstacle(const WaitingJob& job, const Moment& now) const;
  /// How many wait for a moment that has not come.
  [[nodiscard]] std::int64_t waiting_for_time(const Moment& now) const;
  /// All that wait, the next first; those that may not start now come last.
  [[nodiscard]] std::vector<const WaitingJob*> order(const Moment& now) const;
  [[nodiscard]] std::size_t waiting() const { return waiting_.size(); }
  /// A job that waits, until the next call that changes the queue. Null for any other.
  [[nodiscard]] const WaitingJob* find(const JobId& id) const;
  /// A job that runs, as it was when it waited; as find().
  [[nodiscard]] const WaitingJob* leased(const JobId& id) const;
  [[nodiscard]] std::int64_t ahead_of(const JobId& id) const;
  /// Whether work in the background rests now.
  [[nodiscard]] bool quiet(const Moment& now) const;
  /// Of all, and of one user, in `night`; what is under way counts as spent in full.
  [[nodiscard]] Spent spent(const std::string& night) const;
  [[nodiscard]] Spent spent(const std::string& night, const std::string& user) const;

 private:
  struct Leased {
    WaitingJob job;  ///< as it was when it waited
    Lease lease;
    std::chrono::steady_clock::time_point ends;
    Spent reserved;
  };
  [[nodiscard]] bool before(const WaitingJob& a, const WaitingJob& b) const;
  [[nodiscard]] std::string spent_up(const WaitingJob& job, const Moment& now) const;
  [[nodiscard]] Budget grant(const WaitingJob& job, const Moment& now) const;

  knowledge_base::QueueRules rules_;
  std::optional<DayHours> quiet_;
  std::map<JobId, WaitingJob> waiting_;
  std::map<JobId, Leased> leased_;
  std::string night_;                    // that ledger_ is about
  std::map<std::string, Spent> ledger_;  // by user
};

}  // namespace warpmind::daemon
