#include "daemon/scheduler/scheduler.h"

#include "base/job_names.h"
#include "base/log.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::int64_t kRemembered = 64;  // finished jobs kept in memory for status
constexpr std::chrono::seconds kStoreRetry{5};

std::string finished_line(const Job& job) {
  if (job.state == JobState::failed) return "failed: " + job.error;
  if (job.episode && !job.episode->summary.empty()) return job.episode->summary;
  return std::string(name_of(job.state));
}

protocol::ProgressParams progress_of(const Job& job) {
  protocol::ProgressParams progress;
  progress.job_id = job.id.str();
  progress.state = job.state;
  progress.steps = job.request.budget.evaluations;
  if (job.episode) {
    const auto judged = static_cast<std::int64_t>(job.episode->steps.size()) - 1;
    progress.step = std::max<std::int64_t>(judged, 0);
    if (job.episode->best_against_baseline) {
      progress.best_ratio = job.episode->best_against_baseline->ratio;
    }
  }
  return progress;
}

protocol::TaskStatusResult status_of(const protocol::ProgressParams& progress, std::string task,
                                     std::string error) {
  return {progress.job_id, progress.state,      std::move(task), progress.step,
          progress.steps,  progress.best_ratio, progress.line,   std::move(error)};
}

std::string summary_line(const protocol::ProgressParams& progress, const std::string& task) {
  std::string line = progress.job_id + ' ' + std::string(name_of(progress.state)) + ' ' + task;
  if (progress.state == JobState::running) {
    line += " step " + std::to_string(progress.step) + " of " + std::to_string(progress.steps);
  }
  return line;
}

}  // namespace

Scheduler::Scheduler(knowledge_base::KnowledgeStore& store, JobRunner& runner, const Clock& clock,
                     Observer observer)
    : store_(store), runner_(runner), clock_(clock), observer_(std::move(observer)) {}

Scheduler::~Scheduler() {
  stop(Stop::park, {});
  if (lane_.joinable()) lane_.join();
}

Result<void> Scheduler::start() {
  WARPMIND_TRY(auto finished, store_.recent_jobs(kRemembered));
  std::reverse(finished.begin(), finished.end());  // oldest first, so that it is forgotten first
  for (const auto& job : finished) {
    if (is_final(job.state)) remember(job, finished_line(job));
  }
  WARPMIND_TRY(auto jobs, store_.unfinished_jobs());
  for (auto& job : jobs) WARPMIND_CHECK(resume(std::move(job)));
  const std::scoped_lock lock(mutex_);
  lane_ended_ = false;
  lane_ = std::thread([this] { lane(); });
  return {};
}

Result<void> Scheduler::resume(Job job) {
  // Its candidates come from outside; the lane has nothing to run.
  if (job.request.proposer == kExternalProposer) {
    remember(job, "waits for candidates from outside");
    return {};
  }
  if (job.state == JobState::running) {
    const bool hopeless = job.attempts >= kMostAttempts;
    job.state = hopeless ? JobState::failed : JobState::queued;
    if (hopeless) {
      job.error = "the daemon ended " + std::to_string(job.attempts) +
                  " times while this job ran; look for the cause in the log, then submit it again";
    }
    WARPMIND_CHECK(store_.update_job(job));
    log::warn("daemon", hopeless ? "job given up" : "job resumed",
              {{"job", job.id}, {"attempts", job.attempts}});
  }
  const bool waits = job.state == JobState::queued;
  remember(job, waits ? "queued" : finished_line(job));
  const std::scoped_lock lock(mutex_);
  if (waits) queue_.push_back(job.id);
  return {};
}

Result<Submitted> Scheduler::submit(const JobRequest& request) {
  {
    const std::scoped_lock lock(mutex_);
    if (draining_) {
      return fail(Errc::unavailable,
                  "the daemon is shutting down; submit again when it has been started again");
    }
    if (queue_.size() >= kMostQueued) {
      return fail(Errc::unavailable, std::to_string(kMostQueued) +
                                         " jobs wait already; submit again when some are done");
    }
  }
  // Without the lock: an fsync takes milliseconds, and status must not wait for it.
  WARPMIND_TRY(const Job job, store_.add_job(request, clock_.wall()));
  remember(job, "queued");
  Submitted submitted{job.id, 0};
  {
    const std::scoped_lock lock(mutex_);
    // Ids grow with acceptance, but two submitters may get here in either order.
    const auto place = std::upper_bound(queue_.begin(), queue_.end(), job.id);
    submitted.ahead = (place - queue_.begin()) + (at_work() ? 1 : 0);
    queue_.insert(place, job.id);
  }
  changed_.notify_all();
  log::info("daemon", "job queued",
            {{"job", job.id}, {"task", request.task.name}, {"ahead", submitted.ahead}});
  return submitted;
}

Result<JobState> Scheduler::cancel(const JobId& id) {
  std::optional<std::stop_source> running;
  {
    const std::scoped_lock lock(mutex_);
    if (current_ == id && at_work()) {
      reason_ = Reason::cancel;
      running = current_stop_;
    } else if (const auto found = std::find(queue_.begin(), queue_.end(), id);
               found != queue_.end()) {
      queue_.erase(found);
    }
  }
  if (!running) return cancel_queued(id);
  log::info("daemon", "cancelling the running job", {{"job", id}});
  running->request_stop();  // outside the lock: it runs the callbacks of the runner
  return JobState::running;
}

Result<JobState> Scheduler::cancel_queued(const JobId& id) {
  WARPMIND_TRY(Job job, load(id));
  if (!is_final(job.state) && job.request.proposer == kExternalProposer) {
    return fail(Errc::conflict, id.str() +
                                    " takes its candidates from outside: close it with "
                                    "`warpmind episode close " +
                                    id.str() + "`");
  }
  if (is_final(job.state)) {
    return fail(Errc::conflict, id.str() + " has ended: " + std::string(name_of(job.state)));
  }
  job.state = JobState::cancelled;
  if (auto updated = store_.update_job(job); !updated) {
    put_back(id);
    return fail(std::move(updated).error());
  }
  announce(id, [](Entry& entry) {
    entry.progress.state = JobState::cancelled;
    entry.progress.line = "cancelled before it started";
  });
  return JobState::cancelled;
}

Result<protocol::TaskStatusResult> Scheduler::status(const JobId& id) const {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto found = entries_.find(id); found != entries_.end()) {
      return status_of(found->second.progress, found->second.task, found->second.error);
    }
  }
  WARPMIND_TRY(const Job job, load(id));
  auto progress = progress_of(job);
  progress.line = finished_line(job);
  return status_of(progress, job.request.task.name, job.error);
}

std::optional<JobEvent> Scheduler::latest(const JobId& id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return std::nullopt;
  return JobEvent{found->second.progress, found->second.sequence};
}

QueueSummary Scheduler::summary() const {
  constexpr std::size_t kLines = 20;
  const std::scoped_lock lock(mutex_);
  QueueSummary summary;
  summary.queued = static_cast<std::int64_t>(queue_.size());
  summary.running = at_work() ? 1 : 0;
  for (auto entry = entries_.rbegin(); entry != entries_.rend() && summary.jobs.size() < kLines;
       ++entry) {
    summary.jobs.push_back(summary_line(entry->second.progress, entry->second.task));
  }
  return summary;
}

void Scheduler::stop(Stop how, std::function<void()> idle) {
  std::optional<std::stop_source> parked;
  {
    const std::scoped_lock lock(mutex_);
    draining_ = true;
    if (idle && !lane_ended_) idle_ = std::exchange(idle, {});
    if (how == Stop::park && current_) {
      if (reason_ == Reason::none) reason_ = Reason::park;
      parked = current_stop_;
    }
  }
  changed_.notify_all();
  if (parked) parked->request_stop();
  if (idle) idle();
}

void Scheduler::lane() {
  while (const auto id = take_next()) {
    try {
      run_one(*id);
    } catch (const std::exception& e) {
      // The daemon outlives any one job.
      log::error("daemon", "a job ended with an exception", {{"job", *id}, {"what", e.what()}});
      if (auto job = load(*id)) fail_job(std::move(*job), std::string("internal: ") + e.what());
    }
    const std::scoped_lock lock(mutex_);
    current_.reset();
    reason_ = Reason::none;
  }
  std::function<void()> idle;
  {
    const std::scoped_lock lock(mutex_);
    lane_ended_ = true;
    idle = std::exchange(idle_, {});
  }
  if (idle) idle();
}

std::optional<JobId> Scheduler::take_next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return draining_ || !queue_.empty(); });
  if (draining_) return std::nullopt;
  current_ = queue_.front();
  queue_.pop_front();
  current_stop_ = std::stop_source();
  reason_ = Reason::none;
  return current_;
}

void Scheduler::run_one(const JobId& id) {
  auto started = mark_running(id);
  if (!started) {
    log::error("daemon", "cannot start a job; it stays queued",
               {{"job", id}, {"why", started.error().message}});
    put_back(id);
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, kStoreRetry, [this] { return draining_; });
    return;
  }
  if (is_final(started->state)) return;  // cancelled while it was being submitted
  announce(id, [](Entry& entry) {
    entry.progress.state = JobState::running;
    entry.progress.line = "started";
  });
  JobControl control;
  control.stop = current_stop_.get_token();
  control.parking = [this] {
    const std::scoped_lock lock(mutex_);
    return reason_ == Reason::park;
  };
  control.progress = [this, &id](const JobProgress& news) {
    announce(id, [&news](Entry& entry) {
      entry.progress.step = news.step;
      entry.progress.steps = news.steps;
      entry.progress.best_ratio = news.best_ratio;
      entry.progress.line = news.line;
    });
  };
  Job job = *started;
  const auto ended = runner_.run(std::move(*started), control);
  settle(std::move(job), ended);
}

Result<Job> Scheduler::mark_running(const JobId& id) {
  WARPMIND_TRY(Job job, load(id));
  if (is_final(job.state)) return job;
  job.state = JobState::running;
  ++job.attempts;
  WARPMIND_CHECK(store_.update_job(job));
  return job;
}

/// Brings memory and store to agree on how the job ended.
void Scheduler::settle(Job job, const Result<void>& ended) {
  const Reason reason = [this] {
    const std::scoped_lock lock(mutex_);
    return reason_;
  }();
  if (!ended && ended.error().code == Errc::cancelled && reason != Reason::none) {
    return give_up(std::move(job), reason);
  }
  if (!ended) return fail_job(std::move(job), ended.error().message);
  const auto stored = load(job.id);
  if (!stored) return fail_job(std::move(job), stored.error().message);
  if (!is_final(stored->state)) return fail_job(std::move(job), "the job ended without a result");
  log::info("daemon", "job ended", {{"job", job.id}, {"state", name_of(stored->state)}});
  remember(*stored, finished_line(*stored));
  announce(job.id, [](Entry&) {});
}

/// The runner stopped without ending the job: parked, or cancelled just after it was parked.
void Scheduler::give_up(Job job, Reason reason) {
  const bool parked = reason == Reason::park;
  job.state = parked ? JobState::queued : JobState::cancelled;
  if (parked) --job.attempts;  // it did not die
  if (auto updated = store_.update_job(job); !updated) {
    // It stays `running` in the store, which the next start takes up as well.
    log::error("daemon", "cannot record that a job stopped",
               {{"job", job.id}, {"why", updated.error().message}});
  }
  log::info("daemon", parked ? "job parked" : "job cancelled", {{"job", job.id}});
  if (parked) put_back(job.id);
  announce(job.id, [&job, parked](Entry& entry) {
    entry.progress.state = job.state;
    entry.progress.line = parked ? "parked: it starts again with the daemon" : "cancelled";
  });
}

void Scheduler::fail_job(Job job, std::string why) {
  log::error("daemon", "job failed", {{"job", job.id}, {"why", why}});
  job.state = JobState::failed;
  job.error = std::move(why);
  if (auto updated = store_.update_job(job); !updated) {
    log::error("daemon", "cannot record the failure; the next start runs the job again",
               {{"job", job.id}, {"why", updated.error().message}});
  }
  announce(job.id, [&job](Entry& entry) {
    entry.progress.state = JobState::failed;
    entry.progress.line = finished_line(job);
    entry.error = job.error;
  });
}

void Scheduler::put_back(const JobId& id) {
  const std::scoped_lock lock(mutex_);
  queue_.insert(std::upper_bound(queue_.begin(), queue_.end(), id), id);
}

void Scheduler::remember(const Job& job, std::string line) {
  Entry entry;
  entry.progress = progress_of(job);
  entry.progress.line = std::move(line);
  entry.task = job.request.task.name;
  entry.error = job.error;
  const std::scoped_lock lock(mutex_);
  entry.sequence = ++last_sequence_;
  const auto known = entries_.find(job.id);
  const bool was_final = known != entries_.end() && is_final(known->second.progress.state);
  entries_.insert_or_assign(job.id, std::move(entry));
  if (is_final(job.state) && !was_final) forget_old(job.id);
}

/// Changes an entry and tells the observer, who must see the newest state and may see it twice.
void Scheduler::announce(const JobId& id, const std::function<void(Entry&)>& change) {
  JobEvent event;
  {
    const std::scoped_lock lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    const bool was_final = is_final(found->second.progress.state);
    change(found->second);
    found->second.sequence = ++last_sequence_;
    event = {found->second.progress, found->second.sequence};
    if (is_final(event.progress.state) && !was_final) forget_old(id);
  }
  if (observer_) observer_(event);
}

/// Drops the oldest finished job from memory for the one that ended. Called with the lock held.
void Scheduler::forget_old(const JobId& ended) {
  finished_.push_back(ended);
  if (finished_.size() <= static_cast<std::size_t>(kRemembered)) return;
  entries_.erase(finished_.front());
  finished_.pop_front();
}

/// The lane holds a job that has not ended. Called with the lock held.
bool Scheduler::at_work() const {
  if (!current_) return false;
  const auto found = entries_.find(*current_);
  return found != entries_.end() && !is_final(found->second.progress.state);
}

Result<Job> Scheduler::load(const JobId& id) const {
  WARPMIND_TRY(auto job, store_.find_job(id));
  if (!job) return fail(Errc::not_found, "there is no job '" + id.str().substr(0, 64) + "'");
  return std::move(*job);
}

}  // namespace warpmind::daemon
