#include "daemon/scheduler/scheduler.h"

#include "base/job_names.h"
#include "base/log.h"
#include "base/model/attempts.h"
#include "base/sleep.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::int64_t kRecentJobs = 64;  // finished jobs of an earlier run that status knows
constexpr std::chrono::seconds kTick{5};  // how often deadlines, leases and series are looked at

}  // namespace

Scheduler::Scheduler(Parts parts, Observer observer, WorthSource worth)
    : store_(parts.store),
      records_(parts.records),
      agenda_(parts.agenda),
      runner_(parts.runner),
      clock_(parts.clock),
      most_waiting_(parts.most_waiting),
      news_(std::move(observer)),
      worth_(std::move(worth)),
      on_change_(std::move(parts.on_change)) {
  for (auto& spec : parts.lanes) {
    Lane lane;
    lane.spec = std::move(spec);
    lanes_.push_back(std::move(lane));
  }
}

Scheduler::~Scheduler() {
  stop(Stop::park, {});
  keeper_ = {};
  for (auto& lane : lanes_) {
    if (lane.thread.joinable()) lane.thread.join();
  }
}

Result<void> Scheduler::start() {
  WARPMIND_TRY(const auto rules, records_.rules());
  WARPMIND_CHECK(queue_.set_rules(rules));
  WARPMIND_CHECK(count_the_night());
  WARPMIND_TRY(auto finished, store_.recent_jobs(kRecentJobs));
  std::reverse(finished.begin(), finished.end());  // oldest first, so that it is forgotten first
  for (const auto& job : finished) {
    if (is_final(job.state)) news_.remember(job, finished_line(job));
  }
  WARPMIND_TRY(auto jobs, store_.unfinished_jobs());
  for (auto& job : jobs) WARPMIND_CHECK(resume(std::move(job)));
  WARPMIND_CHECK(load_agenda());
  continue_series();
  const std::scoped_lock lock(mutex_);
  started_ = clock_.monotonic();
  lanes_at_work_ = lanes_.size();
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    lanes_[i].thread = std::thread([this, i] { work(i); });
  }
  keeper_ = std::jthread([this](const std::stop_token& stop) { keep_time(stop); });
  return {};
}

/// What this night's jobs of the background have cost so far, those that run again included.
Result<void> Scheduler::count_the_night() {
  const std::string night = moment().night;
  WARPMIND_TRY(const auto jobs, records_.jobs_of(night));
  for (const auto& job : jobs) {
    const QueueTerms& terms = job.request.terms;
    if (terms.background) queue_.charge(night, terms.user, job.spent);
  }
  return {};
}

Result<void> Scheduler::resume(Job job) {
  // Its candidates come from outside; the lane has nothing to run.
  if (job.request.proposer == kExternalProposer) {
    news_.remember(job, "waits for candidates from outside");
    return {};
  }
  if (job.state == JobState::running) {
    if (got_further(job)) --job.attempts;  // it is not what the daemon died of
    const bool hopeless = job.attempts >= kMostAttempts;
    job.state = hopeless ? JobState::failed : JobState::queued;
    job.dead = hopeless;
    close_attempt(job, clock_.wall(), "the daemon ended while the job ran");
    if (hopeless) {
      job.error = "the daemon ended " + std::to_string(job.attempts) +
                  " times while this job ran; look for the cause in the log, then submit it again";
    }
    WARPMIND_CHECK(store_.update_job(job));
    log::warn("daemon", hopeless ? "job given up" : "job resumed",
              {{"job", job.id}, {"attempts", job.attempts}});
  }
  const bool waits = job.state == JobState::queued;
  news_.remember(job, waits ? "queued" : finished_line(job));
  if (waits) enter(waiting_of(job));
  return {};
}

/// Whether a job more may come.
Result<void> Scheduler::admit() const {
  const std::scoped_lock lock(mutex_);
  if (draining_) {
    return fail(Errc::unavailable,
                "the daemon is shutting down; submit again when it has been started again");
  }
  if (queue_.waiting() >= most_waiting_) {
    return fail(Errc::unavailable, std::to_string(most_waiting_) +
                                       " jobs wait already; submit again when some are done");
  }
  return {};
}

Result<Submitted> Scheduler::submit(const JobRequest& request) {
  WARPMIND_CHECK(admit());
  for (const auto& id : request.terms.after) WARPMIND_CHECK(load(id));
  // Without the lock: an fsync takes milliseconds, and status must not wait for it.
  WARPMIND_TRY(const Job job, store_.add_job(valued(request), clock_.wall()));
  return accepted(job);
}

/// With what it is expected to be worth, kept with the job: the order of a night that is started
/// again is that of an undisturbed one.
JobRequest Scheduler::valued(JobRequest request) const {
  if (!worth_ || !request.terms.background) return request;
  JobWorth worth = worth_(request);
  request.terms.worth = worth.value;
  request.terms.worth_why = std::move(worth.why);
  return request;
}

/// A job that the store has: into the queue.
Submitted Scheduler::accepted(const Job& job) {
  news_.remember(job, job.held ? "paused" : "queued");
  enter(waiting_of(job));
  Submitted submitted{job.id, 0};
  {
    const std::scoped_lock lock(mutex_);
    // A lane may have taken it already: then nothing is ahead of it.
    if (queue_.leased(job.id) == nullptr)
      submitted.ahead = queue_.ahead_of(job.id) + running_jobs();
  }
  log::info("daemon", "job queued",
            {{"job", job.id}, {"task", job.request.task.name}, {"ahead", submitted.ahead}});
  return submitted;
}

WaitingJob Scheduler::waiting_of(const Job& job) const {
  WaitingJob waiting;
  waiting.id = job.id;
  waiting.task = job.request.task.name;
  waiting.terms = job.request.terms;
  waiting.budget = job.request.budget;
  waiting.provider = job.request.provider;
  waiting.spent = job.spent;
  if (job.epoch > 0) waiting.kept = kept_of(job);
  waiting.epoch = job.epoch;
  waiting.held = job.held;
  const auto& after = job.request.terms.after;
  waiting.unfinished.insert(after.begin(), after.end());
  const QueueTerms& terms = job.request.terms;
  if (terms.worth) {
    waiting.worth = {*terms.worth, terms.worth_why};
  } else if (worth_ && terms.background) {
    waiting.worth = worth_(job.request);
  }
  return waiting;
}

/// What earlier starts have left that the next one goes on from.
Spent Scheduler::kept_of(const Job& job) const {
  const auto draft = store_.find_draft(EpisodeId("e" + job.id.str().substr(1)));
  return draft && *draft ? (*draft)->cost : Spent{};
}

/// Whether the newest start has kept a step that the one before it had not.
bool Scheduler::got_further(const Job& job) const {
  const auto draft = store_.find_draft(EpisodeId("e" + job.id.str().substr(1)));
  return draft && *draft && job.epoch > 0 && (*draft)->epoch == job.epoch;
}

/// Into the queue. Jobs that it comes after and that have ended are struck off then, so that no end
/// is missed in between.
void Scheduler::enter(WaitingJob waiting) {
  const auto after = waiting.unfinished;
  {
    const std::scoped_lock lock(mutex_);
    queue_.put(std::move(waiting));
  }
  for (const auto& id : after) {
    const auto job = load(id);
    if (job && !is_final(job->state)) continue;
    const std::scoped_lock lock(mutex_);
    queue_.ended(id, job ? job->state : JobState::failed);
  }
  changed_.notify_all();
  tell_change();
}

void Scheduler::tell_change() const {
  if (on_change_) on_change_();
}

void Scheduler::put_back(const Job& job, std::chrono::seconds delay) {
  WaitingJob waiting = waiting_of(job);
  if (delay > delay.zero()) waiting.again = clock_.monotonic() + delay;
  enter(std::move(waiting));
}

Result<JobState> Scheduler::cancel(const JobId& id) {
  std::optional<std::stop_source> running;
  std::optional<WaitingJob> waiting;
  {
    const std::scoped_lock lock(mutex_);
    if (const auto run = run_of(id); run && news_.is_open(id)) {
      run->reason = Reason::cancel;
      running = run->stop;
    } else {
      waiting = queue_.take(id);
    }
  }
  if (running) {
    log::info("daemon", "cancelling the running job", {{"job", id}});
    running->request_stop();  // outside the lock: it runs the callbacks of the runner
    changed_.notify_all();
    return JobState::running;
  }
  auto cancelled = cancel_queued(id);
  if (!cancelled && waiting) enter(std::move(*waiting));
  return cancelled;
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
  WARPMIND_CHECK(store_.update_job(job));
  {
    const std::scoped_lock lock(mutex_);
    queue_.ended(id, job.state);
  }
  news_.announce(id, [](JobNews::Entry& entry) {
    entry.progress.state = JobState::cancelled;
    entry.progress.line = "cancelled before it started";
  });
  return JobState::cancelled;
}

Result<protocol::TaskStatusResult> Scheduler::status(const JobId& id) const {
  if (auto known = news_.status(id)) return std::move(*known);
  WARPMIND_TRY(const Job job, load(id));
  auto progress = progress_of(job);
  progress.line = finished_line(job);
  return status_of(progress, job.request.task.name, job.error);
}

QueueSummary Scheduler::summary() const {
  constexpr std::size_t kLines = 20;
  QueueSummary summary;
  {
    const std::scoped_lock lock(mutex_);
    summary.queued = static_cast<std::int64_t>(queue_.waiting());
    summary.running = running_jobs();
  }
  summary.jobs = news_.lines(kLines);
  return summary;
}

void Scheduler::stop(Stop how, std::function<void()> idle) {
  std::vector<std::stop_source> parked;
  {
    const std::scoped_lock lock(mutex_);
    draining_ = true;
    if (idle && lanes_at_work_ > 0) idle_ = std::exchange(idle, {});
    if (how == Stop::park) {
      for (const auto& run : runs()) {
        if (run->reason == Reason::none) run->reason = Reason::park;
        parked.push_back(run->stop);
      }
    }
  }
  changed_.notify_all();
  for (auto& source : parked) source.request_stop();
  if (idle) idle();
}

void Scheduler::keep_time(const std::stop_token& stop) {
  for (;;) {
    sleep_for(kTick, stop);
    if (stop.stop_requested()) return;
    look_at_the_clock();
  }
}

/// Called with the lock held.
Scheduler::SharedRun Scheduler::run_of(const JobId& id) const {
  for (const auto& run : runs()) {
    if (run->lease.id == id) return run;
  }
  return nullptr;
}

/// Lane by lane; of one lane, the job that has it comes last. Called with the lock held.
std::vector<Scheduler::SharedRun> Scheduler::runs() const {
  std::vector<SharedRun> all;
  for (const auto& lane : lanes_) all.insert(all.end(), lane.running.begin(), lane.running.end());
  return all;
}

/// Jobs on the lanes that have not ended. Called with the lock held.
std::int64_t Scheduler::running_jobs() const {
  const auto all = runs();
  return std::count_if(all.begin(), all.end(),
                       [this](const SharedRun& run) { return news_.is_open(run->lease.id); });
}

/// Called with the lock held, or before there are threads.
Moment Scheduler::moment() const {
  const auto steady = clock_.monotonic();
  return moment_at(steady, wall_.at(steady, clock_.wall()));
}

Result<Job> Scheduler::load(const JobId& id) const {
  WARPMIND_TRY(auto job, store_.find_job(id));
  if (!job) return fail(Errc::not_found, "there is no job '" + id.str().substr(0, 64) + "'");
  return std::move(*job);
}

}  // namespace warpmind::daemon
