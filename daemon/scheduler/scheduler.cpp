#include "daemon/scheduler/scheduler.h"

#include "base/log.h"
#include "base/model/spent_arithmetic.h"
#include "base/sleep.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::chrono::seconds kTick{5};  // how often deadlines, leases and series are looked at
constexpr std::chrono::seconds kBackOff{30};  // after the first failed start; then twice that

}  // namespace

Scheduler::Scheduler(Parts parts, Observer observer, WorthSource worth)
    : runner_(parts.runner),
      clock_(parts.clock),
      on_change_(std::move(parts.on_change)),
      ledger_(parts.store, parts.clock, std::move(observer),
              [this](const Job& job, const Spent& late) { agenda_.note_end(job, late); }),
      agenda_({ledger_, parts.records, parts.agenda, parts.clock, std::move(worth),
               parts.most_waiting,
               [this] {
                 pool_.wake();
                 tell_change();
               }}),
      pool_({agenda_, ledger_, parts.clock, std::move(parts.lanes), [this] { tell_change(); }},
            [this](const SharedRun& run) { run_job(run); }) {}

Scheduler::~Scheduler() {
  stop(Stop::park, {});
  keeper_ = {};
  pool_.join();
}

Result<void> Scheduler::start() {
  WARPMIND_CHECK(agenda_.load());
  WARPMIND_TRY(const auto waiting, ledger_.take_over());
  for (const auto& job : waiting) agenda_.put(job);
  continue_series();
  pool_.start();
  keeper_ = std::jthread([this](const std::stop_token& stop) { keep_time(stop); });
  return {};
}

void Scheduler::stop(Stop how, std::function<void()> idle) {
  agenda_.close();
  pool_.drain(how == Stop::park, std::move(idle));
}

void Scheduler::keep_time(const std::stop_token& stop) {
  for (;;) {
    sleep_for(kTick, stop);
    if (stop.stop_requested()) return;
    look_at_the_clock();
  }
}

void Scheduler::look_at_the_clock() {
  ledger_.store_ends();
  if (agenda_.is_closed()) return;
  for (const auto& passing : agenda_.tick()) note_passing(passing);
  continue_series();
  pool_.wake();  // what waits for a time may start
}

void Scheduler::tell_change() const {
  if (on_change_) on_change_();
}

// --- Jobs come

Result<Submitted> Scheduler::submit(const JobRequest& request) {
  WARPMIND_CHECK(agenda_.admit());
  for (const auto& id : request.terms.after) WARPMIND_CHECK(ledger_.find_job(id));
  WARPMIND_TRY(const Job job, ledger_.add_job(agenda_.with_worth(request)));
  return enqueue(job);
}

Result<Submitted> Scheduler::submit_series(JobRequest request, const std::string& every) {
  WARPMIND_TRY(const Job job, agenda_.begin_series(std::move(request), every));
  return enqueue(job);
}

Result<Submitted> Scheduler::propose(const JobRequest& request,
                                     const knowledge_base::JobProposal& proposal, bool held) {
  WARPMIND_TRY(const Job job, agenda_.propose(request, proposal, held));
  return enqueue(job);
}

void Scheduler::continue_series() {
  for (const auto& job : agenda_.continue_series()) (void)enqueue(job);
}

/// A job that the store has: into the queue.
Submitted Scheduler::enqueue(const Job& job) {
  ledger_.remember(job, job.held ? "paused" : "queued");
  agenda_.put(job);
  Submitted submitted{job.id, 0};
  {
    const auto still = pool_.still();
    // A lane may have taken it already: then nothing is ahead of it.
    if (const auto ahead = agenda_.ahead_of(job.id)) {
      submitted.ahead = *ahead + pool_.running_jobs(still);
    }
  }
  log::info("daemon", "job queued",
            {{"job", job.id}, {"task", job.request.task.name}, {"ahead", submitted.ahead}});
  return submitted;
}

// --- Orders of people

Result<JobState> Scheduler::cancel(const JobId& id) {
  SharedRun running;
  std::optional<WaitingJob> waiting;
  {
    const auto still = pool_.still();
    running = pool_.find_run(still, id);
    if (running && ledger_.is_open(id)) {
      running->interruption = Interruption::cancel;
    } else {
      running = nullptr;
      waiting = agenda_.take(id);
    }
  }
  if (running) {
    log::info("daemon", "cancelling the running job", {{"job", id}});
    running->stop.request_stop();  // outside the lock: it runs the callbacks of the runner
    pool_.wake();
    return JobState::running;
  }
  auto cancelled = ledger_.cancel_waiting(id);
  if (!cancelled && waiting) agenda_.put(std::move(*waiting));
  return cancelled;
}

/// Changes a job that waits, in the store and in the queue.
Result<void> Scheduler::amend(const JobId& id, const std::function<void(Job&)>& change) {
  auto waiting = agenda_.take(id);
  auto job = ledger_.find_job(id);
  if (!waiting) {
    if (!job) return fail(std::move(job).error());
    const bool ended = is_final(job->state);
    return fail(Errc::conflict,
                id.str() + (ended ? " has ended: " + std::string(name_of(job->state))
                                  : " runs already, it does not wait"));
  }
  if (!job) {
    agenda_.put(*std::move(waiting));
    return fail(std::move(job).error());
  }
  change(*job);
  auto updated = ledger_.update_job(*job);
  if (updated) {
    waiting->terms = job->request.terms;
    waiting->held = job->held;
  }
  agenda_.put(*std::move(waiting));
  return updated;
}

Result<void> Scheduler::hold(const JobId& id, bool held) {
  WARPMIND_CHECK(amend(id, [held](Job& job) { job.held = held; }));
  ledger_.announce_line(id, held ? "paused" : "queued");
  return {};
}

Result<void> Scheduler::move(const JobId& id, std::int64_t priority) {
  return amend(id, [priority](Job& job) { job.request.terms.priority = priority; });
}

Result<void> Scheduler::retry(const JobId& id) {
  WARPMIND_CHECK(agenda_.admit());
  {
    const auto still = pool_.still();
    if (pool_.find_run(still, id) || agenda_.waits(id)) {
      return fail(Errc::conflict, id.str() + " has not ended: there is nothing to try again");
    }
  }
  WARPMIND_TRY(Job job, ledger_.reopened(id));
  job.request = agenda_.with_worth(std::move(job.request));
  WARPMIND_CHECK(ledger_.update_job(job));
  ledger_.remember(job, "queued again");
  agenda_.put(job);
  return {};
}

// --- What is asked

QueueSummary Scheduler::summary() const {
  constexpr std::size_t kLines = 20;
  QueueSummary summary;
  {
    const auto still = pool_.still();
    summary.queued = static_cast<std::int64_t>(agenda_.waiting());
    summary.running = pool_.running_jobs(still);
  }
  summary.jobs = ledger_.lines(kLines);
  return summary;
}

Result<QueueReason> Scheduler::why(const JobId& id) const {
  WARPMIND_TRY(QueueReason reason, state_of(id));
  reason.text += agenda_.origin_text(id);
  return reason;
}

/// The same without what is said of its origin.
Result<QueueReason> Scheduler::state_of(const JobId& id) const {
  {
    const auto still = pool_.still();
    if (auto waits = agenda_.why_waiting(id)) return *std::move(waits);
    if (const auto run = pool_.find_run(still, id); run && ledger_.is_open(id)) {
      const std::string lane = pool_.size() > 1 ? " on " + pool_.name_of_lane(run->lane) : "";
      return QueueReason{id.str() + (pool_.has_lane(still, run)
                                         ? " runs" + lane
                                         : " made way for a job that somebody waits for")};
    }
  }
  WARPMIND_TRY(auto text, ledger_.history_text(id));
  return QueueReason{std::move(text)};
}

std::vector<protocol::QueueJob> Scheduler::list() const {
  std::vector<protocol::QueueJob> lines;
  {
    const auto still = pool_.still();
    const auto runs = pool_.runs(still);
    for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
      const JobId& id = (*run)->lease.id;
      auto status = ledger_.known_status(id);
      if (!status || is_final(status->state)) continue;
      auto line = agenda_.leased_line(id);
      line.task = std::move(status->task);
      line.lane = pool_.name_of_lane((*run)->lane);
      line.why = pool_.has_lane(still, *run) ? status->activity : "made way for another job";
      lines.push_back(std::move(line));
    }
    for (auto& line : agenda_.waiting_lines()) lines.push_back(std::move(line));
  }
  agenda_.add_origins(lines);
  return lines;
}

// --- A start and its end

void Scheduler::run_job(const SharedRun& run) {
  try {
    run_and_settle(run);
  } catch (const std::exception& e) {
    // The daemon outlives any one job.
    const JobId& id = run->lease.id;
    log::error("daemon", "a job ended with an exception", {{"job", id}, {"what", e.what()}});
    if (auto job = ledger_.find_job(id)) {
      settle(run, std::move(*job),
             fail(Errc::external_failure,
                  "the daemon failed at this job by a fault of its own; its log says more"),
             0);
    }
  }
}

void Scheduler::run_and_settle(const SharedRun& run) {
  const Lease& lease = run->lease;
  // Jobs that somebody waits for belong to the night's report, too, but not to its budget.
  const std::string night = lease.night.empty() ? agenda_.night_now() : lease.night;
  auto started = ledger_.begin_start(lease, pool_.name_of_lane(run->lane), night);
  if (!started) {
    log::error("daemon", "cannot start a job; it stays queued",
               {{"job", lease.id}, {"why", started.error().message}});
    return pool_.give_back(run);
  }
  ledger_.announce(lease.id, JobState::running, "started");
  const Job job = *started;
  started->request.budget = lease.granted;
  const auto from = clock_.monotonic();
  auto control = pool_.control_for(run);
  control.may_start_again = job.request.terms.background && job.attempts < kMostAttempts;
  control.progress = [this, run](const JobProgress& news) {
    pool_.renew_leases(run);
    ledger_.announce_progress(run->lease.id, news);
  };
  const auto ended = runner_.run_job(std::move(*started), control);
  const std::chrono::duration<double> active = clock_.monotonic() - from - run->rested;
  settle(run, job, ended, active.count());
}

/// Brings memory and store to agree on how the job ended. `seconds` of active work.
void Scheduler::settle(const SharedRun& run, Job job, const Result<void>& ended, double seconds) {
  const auto stored = ledger_.find_job(job.id);
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
  const Interruption interruption = pool_.interruption_of(run);
  if (!agenda_.settle(run->lease, cost)) {
    log::warn("daemon", "a late result was refused", {{"job", job.id}, {"epoch", job.epoch}});
    return;
  }
  if (has_ended) return ledger_.tell_stored_end(*stored);
  job.spent += cost;
  if (!ended && ended.error().code == Errc::cancelled && interruption != Interruption::none) {
    return end_interrupted(std::move(job), interruption);
  }
  if (!ended) return retry_start(std::move(job), ended.error().message);
  retry_start(std::move(job), stored ? "the job ended without a result" : stored.error().message);
}

/// The runner stopped without ending the job: parked, or cancelled just after it was parked.
void Scheduler::end_interrupted(Job job, Interruption interruption) {
  const bool parked = interruption == Interruption::park;
  job.state = parked ? JobState::queued : JobState::cancelled;
  ledger_.close_start(job, parked ? "parked" : "cancelled");
  if (!parked) return ledger_.end_job(std::move(job));
  --job.attempts;  // it did not die
  // If the disk refuses, it stays `running` in the store, which the next start takes up as well.
  if (!ledger_.record(job, "that a job was parked") && ledger_.has_ended_meanwhile(job)) return;
  log::info("daemon", "job parked", {{"job", job.id}});
  agenda_.put(job);
  ledger_.announce(job.id, JobState::queued, "parked: it goes on with the daemon");
}

/// A start failed. Nobody waits for work in the background: it is tried again, until the third
/// time.
void Scheduler::retry_start(Job job, std::string why) {
  ledger_.close_start(job, why);
  if (ledger_.got_further(job)) --job.attempts;
  if (!job.request.terms.background || job.attempts >= kMostAttempts) {
    job.dead = job.attempts >= kMostAttempts;
    return ledger_.fail_job(std::move(job), std::move(why));
  }
  job.state = JobState::queued;
  const auto recorded = ledger_.record(job, "that a start failed");
  // While the disk refuses, it cannot be started either, and waits.
  if (!recorded && !may_be_taken_later(recorded.error())) {
    return ledger_.fail_job(std::move(job), std::move(why));
  }
  log::warn("daemon", "a start failed; the job is tried again", {{"job", job.id}, {"why", why}});
  agenda_.put(job, kBackOff * std::max<std::int64_t>(job.attempts, 1));
  ledger_.announce(job.id, JobState::queued, "tried again soon: " + why);
}

void Scheduler::note_passing(const Passing& passing) {
  auto job = ledger_.find_job(passing.id);
  if (!job) {
    log::error("daemon", "cannot read a job", {{"job", passing.id}, {"why", job.error().message}});
    return;
  }
  if (passing.kind == Passing::Kind::lease_lost) return lose_lease(std::move(*job), passing);
  ledger_.fail_job(std::move(*job), passing.why);
}

/// Whoever holds the job shows no sign of life. A newer epoch shuts the old one out.
void Scheduler::lose_lease(Job job, const Passing& passing) {
  const SharedRun hung = pool_.find_run(pool_.still(), job.id);
  agenda_.charge_lost_lease(job, passing);
  ++job.epoch;
  retry_start(std::move(job), passing.why);
  if (hung) hung->stop.request_stop();
}

}  // namespace warpmind::daemon
