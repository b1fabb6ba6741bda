// How a start ends: with a result, parked, cancelled, failed and tried again, or given up.

#include "base/log.h"
#include "base/model/attempts.h"
#include "base/model/spent_arithmetic.h"
#include "daemon/scheduler/scheduler.h"

#include <algorithm>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::chrono::seconds kBackOff{30};  // after the first failed start; then twice that

/// A full disk, for one: the same change may be taken later.
bool may_be_taken_later(const Error& refusal) {
  return refusal.code == Errc::unavailable || refusal.code == Errc::external_failure;
}

}  // namespace

/// Brings memory and store to agree on how the job ended. `seconds` of active work.
void Scheduler::settle(const SharedRun& run, Job job, const Result<void>& ended, double seconds) {
  const auto stored = load(job.id);
  Spent cost;
  // Whatever the runner says: what the store took under this lease is how it ended.
  const bool is_mine = stored && stored->epoch == run->lease.epoch;
  const bool has_ended = is_mine && is_final(stored->state);
  if (is_mine) {
    cost = stored->spent;
    cost -= job.spent;
  }
  // Steps are charged as they are kept; the time since the last one comes on top.
  if (!has_ended) cost.seconds = std::max(cost.seconds, seconds);
  Reason reason = Reason::none;
  {
    const std::scoped_lock lock(mutex_);
    reason = run->reason;
    if (!queue_.settle(job.id, run->lease.epoch, cost)) {
      log::warn("daemon", "a late result was refused", {{"job", job.id}, {"epoch", job.epoch}});
      return;
    }
  }
  if (has_ended) return took_end(*stored);
  job.spent += cost;
  if (!ended && ended.error().code == Errc::cancelled && reason != Reason::none) {
    return give_up(std::move(job), reason);
  }
  if (!ended) return start_failed(std::move(job), ended.error().message);
  start_failed(std::move(job), stored ? "the job ended without a result" : stored.error().message);
}

/// The store has the job's end.
void Scheduler::took_end(const Job& stored) {
  log::info("daemon", "job ended", {{"job", stored.id}, {"state", name_of(stored.state)}});
  {
    const std::scoped_lock lock(mutex_);
    queue_.ended(stored.id, stored.state);
  }
  news_.remember(stored, finished_line(stored));
  news_.announce(stored.id, [](JobNews::Entry&) {});
}

/// Whether `job`, a change of which was refused, has ended meanwhile: a result that comes while a
/// failure of its start is being recorded counts.
bool Scheduler::has_ended_meanwhile(const Job& job) {
  const auto stored = load(job.id);
  if (!stored || !stored->episode) return false;
  const QueueTerms& terms = stored->request.terms;
  if (terms.background) {
    Spent unknown = stored->spent;  // when its start was settled
    unknown -= job.spent;
    const std::scoped_lock lock(mutex_);
    queue_.charge(terms.night, terms.user, unknown);
  }
  took_end(*stored);
  return true;
}

/// The runner stopped without ending the job: parked, or cancelled just after it was parked.
void Scheduler::give_up(Job job, Reason reason) {
  const bool parked = reason == Reason::park;
  job.state = parked ? JobState::queued : JobState::cancelled;
  close_attempt(job, clock_.wall(), parked ? "parked" : "cancelled");
  if (!parked) return conclude(std::move(job));
  --job.attempts;  // it did not die
  // If the disk refuses, it stays `running` in the store, which the next start takes up as well.
  if (!record(job, "that a job was parked") && has_ended_meanwhile(job)) return;
  log::info("daemon", "job parked", {{"job", job.id}});
  put_back(job);
  news_.announce(job.id, [](JobNews::Entry& entry) {
    entry.progress.state = JobState::queued;
    entry.progress.line = "parked: it goes on with the daemon";
  });
}

/// Nobody waits for work in the background: it is tried again, until the third time.
void Scheduler::start_failed(Job job, std::string why) {
  close_attempt(job, clock_.wall(), why);
  if (got_further(job)) --job.attempts;
  if (!job.request.terms.background || job.attempts >= kMostAttempts) {
    job.dead = job.attempts >= kMostAttempts;
    return fail_job(std::move(job), std::move(why));
  }
  job.state = JobState::queued;
  const auto recorded = record(job, "that a start failed");
  // While the disk refuses, it cannot be started either, and waits.
  if (!recorded && !may_be_taken_later(recorded.error())) {
    return fail_job(std::move(job), std::move(why));
  }
  log::warn("daemon", "a start failed; the job is tried again", {{"job", job.id}, {"why", why}});
  put_back(job, kBackOff * std::max<std::int64_t>(job.attempts, 1));
  news_.announce(job.id, [&why](JobNews::Entry& entry) {
    entry.progress.state = JobState::queued;
    entry.progress.line = "tried again soon: " + why;
  });
}

void Scheduler::fail_job(Job job, std::string why) {
  job.state = JobState::failed;
  job.error = std::move(why);
  conclude(std::move(job));
}

/// What is told must be true after a restart as well: an end that the disk refuses is told when it
/// has been stored, and the job runs until then.
void Scheduler::conclude(Job job) {
  if (const auto recorded = record(job, "how a job ended"); !recorded) {
    if (has_ended_meanwhile(job)) return;
    if (may_be_taken_later(recorded.error())) return await_space(std::move(job), recorded.error());
  }
  tell_end(job);
}

void Scheduler::await_space(Job job, const Error& refusal) {
  const std::string line = "has ended (" + std::string(name_of(job.state)) +
                           "), which cannot be stored yet: " + refusal.message;
  const JobId id = job.id;
  {
    const std::scoped_lock lock(mutex_);
    unstored_.push_back(std::move(job));
  }
  news_.announce(id, [&line](JobNews::Entry& entry) {
    if (!is_final(entry.progress.state)) entry.progress.line = line;  // else stored in between
  });
}

void Scheduler::store_ends() {
  std::vector<Job> ends;
  {
    const std::scoped_lock lock(mutex_);
    ends = std::exchange(unstored_, {});
  }
  for (auto& job : ends) {
    if (const auto stored = load(job.id); stored && is_final(stored->state)) {
      took_end(*stored);  // cancelled in between
    } else if (const auto updated = store_.update_job(job); updated) {
      tell_end(job);
    } else if (!may_be_taken_later(updated.error())) {
      if (!has_ended_meanwhile(job)) tell_end(job);
    } else {
      const std::scoped_lock lock(mutex_);
      unstored_.push_back(std::move(job));
    }
  }
}

void Scheduler::tell_end(const Job& job) {
  if (job.state == JobState::failed) {
    log::error("daemon", "job failed", {{"job", job.id}, {"why", job.error}});
  } else {
    log::info("daemon", "job ended", {{"job", job.id}, {"state", name_of(job.state)}});
  }
  {
    const std::scoped_lock lock(mutex_);
    queue_.ended(job.id, job.state);
  }
  news_.announce(job.id, [&job](JobNews::Entry& entry) {
    entry.progress.state = job.state;
    entry.progress.line = finished_line(job);
    entry.error = job.error;
  });
}

void Scheduler::look_at_the_clock() {
  store_ends();
  std::vector<Passing> passed;
  bool turned = false;
  {
    const std::scoped_lock lock(mutex_);
    if (draining_) return;
    passed = queue_.tick(moment());
    turned = time_changed_something();
  }
  if (turned) tell_change();
  for (const auto& passing : passed) pass(passing);
  continue_series();
  changed_.notify_all();  // what waits for a time may start
}

/// Whether another night or quiet hours began or ended, or the moment came that a job waited for.
/// Called with the lock held.
bool Scheduler::time_changed_something() {
  const Moment now = moment();
  const auto before =
      std::exchange(seen_, {now.night, queue_.quiet(now), queue_.waiting_for_time(now)});
  return before != seen_;
}

void Scheduler::pass(const Passing& passing) {
  auto job = load(passing.id);
  if (!job) {
    log::error("daemon", "cannot read a job", {{"job", passing.id}, {"why", job.error().message}});
    return;
  }
  if (passing.kind == Passing::Kind::lease_lost) return lose_lease(std::move(*job), passing);
  fail_job(std::move(*job), passing.why);
}

/// Whoever holds the job shows no sign of life. A newer epoch shuts the old one out.
void Scheduler::lose_lease(Job job, const Passing& passing) {
  std::optional<std::stop_source> hung;
  {
    const std::scoped_lock lock(mutex_);
    if (const auto run = run_of(job.id)) hung = run->stop;
    Spent kept = job.spent;  // with the steps that it kept
    kept -= passing.before;
    if (!passing.night.empty()) queue_.charge(passing.night, job.request.terms.user, kept);
  }
  ++job.epoch;
  start_failed(std::move(job), passing.why);
  if (hung) hung->request_stop();
}

Result<void> Scheduler::record(const Job& job, const char* what) {
  auto updated = store_.update_job(job);
  if (!updated) {
    log::error("daemon", std::string("cannot record ") + what,
               {{"job", job.id}, {"why", updated.error().message}});
  }
  return updated;
}

}  // namespace warpmind::daemon
