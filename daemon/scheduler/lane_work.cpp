// What a lane does: it takes the next job that it can run, makes way, and says how busy it is.

#include "base/log.h"
#include "base/model/attempts.h"
#include "daemon/scheduler/scheduler.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::chrono::seconds kStoreRetry{5};
constexpr std::chrono::seconds kLook{1};  // how often what waits for a time is looked at

}  // namespace

void Scheduler::work(std::size_t lane) {
  while (const auto run = take_next(lane)) run_claimed(run);
  std::function<void()> idle;
  {
    const std::scoped_lock lock(mutex_);
    if (--lanes_at_work_ == 0) idle = std::exchange(idle_, {});
  }
  if (idle) idle();
}

/// Whether a lane whose device has less to do is free. Called with the lock held.
bool Scheduler::should_leave_to_others(const Lane& mine) const {
  if (!mine.running.empty()) return false;
  return std::any_of(lanes_.begin(), lanes_.end(), [&mine](const Lane& other) {
    return other.running.empty() && other.spec.seat < mine.spec.seat &&
           other.spec.skills == mine.spec.skills;
  });
}

/// Whether another lane of the same device runs a job that somebody waits for: it has the device.
/// Called with the lock held.
bool Scheduler::is_awaited_beside(std::size_t lane) const {
  const std::string& device = lanes_[lane].spec.device;
  if (device.empty()) return false;
  return std::any_of(lanes_.begin(), lanes_.end(), [&](const Lane& other) {
    return &other != &lanes_[lane] && other.spec.device == device && !other.running.empty() &&
           other.running.back()->lease.night.empty();
  });
}

/// Called with the lock held.
Scheduler::SharedRun Scheduler::claimed(const Moment& now, Claimable which, std::size_t lane) {
  Lane& mine = lanes_[lane];
  if (should_leave_to_others(mine)) return nullptr;
  auto lease = queue_.claim(now, which, mine.spec.skills);
  if (!lease) return nullptr;
  auto run = std::make_shared<Run>();
  run->lease = std::move(*lease);
  run->lane = lane;
  if (mine.running.empty()) mine.since = now.steady;
  mine.running.push_back(run);
  return run;
}

/// Called with the lock held.
void Scheduler::leave(const SharedRun& run) {
  Lane& mine = lanes_[run->lane];
  std::erase(mine.running, run);
  if (mine.running.empty()) mine.busy += clock_.monotonic() - mine.since;
  changed_.notify_all();  // lanes of its device may have rested for it
  tell_change();
}

Scheduler::SharedRun Scheduler::take_next(std::size_t lane) {
  std::unique_lock lock(mutex_);
  for (;;) {
    if (draining_) return nullptr;
    const auto which = is_awaited_beside(lane) ? Claimable::awaited_jobs : Claimable::every_job;
    if (auto run = claimed(moment(), which, lane)) {
      changed_.notify_all();  // what is left is for lanes that let this one go first
      return run;
    }
    // What waits may wait for a time: then it is looked at again and again.
    if (queue_.waiting() == 0) {
      changed_.wait(lock, [this] { return draining_ || queue_.waiting() > 0; });
    } else {
      changed_.wait_for(lock, kLook);
    }
  }
}

/// Between two steps of work in the background: jobs that somebody waits for have the lane and its
/// device first, and quiet hours are kept.
void Scheduler::make_way(const SharedRun& run) {
  const auto from = clock_.monotonic();
  for (;;) {
    SharedRun other;
    {
      std::unique_lock lock(mutex_);
      if (draining_ || run->stop.stop_requested()) break;
      const Moment now = moment();
      queue_.renew(run->lease.id, now);
      other = claimed(now, Claimable::awaited_jobs, run->lane);
      if (!other && !queue_.quiet(now) && !is_awaited_beside(run->lane)) break;
      if (!other) {
        changed_.wait_for(lock, kLook);
        continue;
      }
    }
    log::info("daemon", "a job makes way", {{"job", run->lease.id}, {"for", other->lease.id}});
    run_claimed(other);
  }
  run->rested += clock_.monotonic() - from;
}

void Scheduler::run_claimed(const SharedRun& run) {
  try {
    run_one(run);
  } catch (const std::exception& e) {
    // The daemon outlives any one job.
    const JobId& id = run->lease.id;
    log::error("daemon", "a job ended with an exception", {{"job", id}, {"what", e.what()}});
    if (auto job = load(id)) {
      settle(run, std::move(*job),
             fail(Errc::external_failure,
                  "the daemon failed at this job by a fault of its own; its log says more"),
             0);
    }
  }
  const std::scoped_lock lock(mutex_);
  leave(run);
}

void Scheduler::run_one(const SharedRun& run) {
  const JobId id = run->lease.id;
  auto started = mark_running(*run);
  if (!started) {
    log::error("daemon", "cannot start a job; it stays queued",
               {{"job", id}, {"why", started.error().message}});
    std::unique_lock lock(mutex_);
    queue_.unclaim(id);
    changed_.wait_for(lock, kStoreRetry, [this] { return draining_; });
    return;
  }
  news_.announce(id, [](JobNews::Entry& entry) {
    entry.progress.state = JobState::running;
    entry.progress.line = "started";
  });
  const Job job = *started;
  started->request.budget = run->lease.granted;
  const auto from = clock_.monotonic();
  auto control = control_of(run);
  control.may_start_again = job.request.terms.background && job.attempts < kMostAttempts;
  const auto ended = runner_.run(std::move(*started), control);
  const std::chrono::duration<double> active = clock_.monotonic() - from - run->rested;
  settle(run, job, ended, active.count());
}

JobControl Scheduler::control_of(const SharedRun& run) {
  JobControl control;
  control.lane = run->lane;
  control.stop = run->stop.get_token();
  control.parking = [this, run] {
    const std::scoped_lock lock(mutex_);
    return run->reason == Reason::park;
  };
  control.progress = [this, run](const JobProgress& news) {
    {
      const std::scoped_lock lock(mutex_);
      const Moment now = moment();
      for (const auto& other : lanes_[run->lane].running) queue_.renew(other->lease.id, now);
    }
    news_.announce(run->lease.id, [&news](JobNews::Entry& entry) {
      static_cast<JobProgress&>(entry.progress) = news;
    });
  };
  if (!run->lease.night.empty()) control.between_steps = [this, run] { make_way(run); };
  return control;
}

/// Of jobs that somebody waits for, too: they are in its report, but not in its budget.
std::string Scheduler::night_now() const {
  const std::scoped_lock lock(mutex_);
  return moment().night;
}

Result<Job> Scheduler::mark_running(const Run& run) {
  const Lease& lease = run.lease;
  WARPMIND_TRY(Job job, load(lease.id));
  if (is_final(job.state)) {
    return fail(Errc::conflict, job.id.str() + " has ended: " + std::string(name_of(job.state)));
  }
  job.state = JobState::running;
  ++job.attempts;
  job.epoch = lease.epoch;
  job.request.terms.night = lease.night.empty() ? night_now() : lease.night;
  begin_attempt(job, lanes_[run.lane].spec.name, clock_.wall());
  WARPMIND_CHECK(store_.update_job(job));
  return job;
}

/// Whether it did not make way for another. Called with the lock held.
bool Scheduler::has_lane(const SharedRun& run) const {
  return lanes_[run->lane].running.back() == run;
}

std::vector<LaneView> Scheduler::lanes() const {
  const std::scoped_lock lock(mutex_);
  const auto now = clock_.monotonic();
  const std::chrono::duration<double> up = now - started_;
  std::vector<LaneView> views;
  for (const auto& lane : lanes_) {
    LaneView view;
    view.spec = lane.spec;
    std::chrono::duration<double> busy = lane.busy;
    if (!lane.running.empty()) {
      busy += now - lane.since;
      const JobId& id = lane.running.back()->lease.id;
      if (news_.is_open(id)) view.job = id;
    }
    if (up.count() > 0) view.busy = std::min(busy.count() / up.count(), 1.0);
    views.push_back(std::move(view));
  }
  return views;
}

}  // namespace warpmind::daemon
