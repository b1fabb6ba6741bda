// Orders of people to the queue: pause, move, try again, explain, limit.

#include "base/job_names.h"
#include "daemon/scheduler/scheduler.h"

#include <utility>

namespace warpmind::daemon {

/// Changes a job that waits, in the store and in the queue.
Result<void> Scheduler::amend(const JobId& id, const std::function<void(Job&)>& change) {
  std::optional<WaitingJob> waiting;
  {
    const std::scoped_lock lock(mutex_);
    waiting = queue_.take(id);
  }
  auto job = load(id);
  if (!waiting) {
    if (!job) return fail(std::move(job).error());
    const bool ended = is_final(job->state);
    return fail(Errc::conflict,
                id.str() + (ended ? " has ended: " + std::string(name_of(job->state))
                                  : " runs already, it does not wait"));
  }
  if (!job) {
    enter(*std::move(waiting));
    return fail(std::move(job).error());
  }
  change(*job);
  auto updated = store_.update_job(*job);
  if (updated) {
    waiting->terms = job->request.terms;
    waiting->held = job->held;
  }
  enter(*std::move(waiting));
  return updated;
}

Result<void> Scheduler::hold(const JobId& id, bool held) {
  WARPMIND_CHECK(amend(id, [held](Job& job) { job.held = held; }));
  news_.announce(
      id, [held](JobNews::Entry& entry) { entry.progress.line = held ? "paused" : "queued"; });
  return {};
}

Result<void> Scheduler::move(const JobId& id, std::int64_t priority) {
  return amend(id, [priority](Job& job) { job.request.terms.priority = priority; });
}

Result<void> Scheduler::retry(const JobId& id) {
  WARPMIND_CHECK(admit());
  {
    const std::scoped_lock lock(mutex_);
    if (run_of(id) || queue_.find(id) != nullptr) {
      return fail(Errc::conflict, id.str() + " has not ended: there is nothing to try again");
    }
  }
  WARPMIND_TRY(Job job, load(id));
  if (job.state == JobState::done || job.episode) {
    return fail(Errc::conflict, id.str() + " has a result: add its task again instead");
  }
  if (!is_final(job.state) || job.request.proposer == kExternalProposer) {
    return fail(Errc::conflict, id.str() + " takes its candidates from outside");
  }
  job.state = JobState::queued;
  job.attempts = 0;
  job.dead = false;
  job.held = false;
  job.error.clear();
  job.request.terms.deadline.reset();
  job.request = valued(std::move(job.request));
  WARPMIND_CHECK(store_.update_job(job));
  news_.remember(job, "queued again");
  enter(waiting_of(job));
  return {};
}

Result<QueueReason> Scheduler::why(const JobId& id) const {
  WARPMIND_TRY(QueueReason reason, state_of(id));
  if (const auto every = recurrence_of(id); !every.empty()) {
    reason.text += "\n  it recurs: " + every + "; cancelling it ends the series";
  }
  if (const auto proposal = proposal_of(id); !proposal.empty()) {
    reason.text += "\n  the daemon proposed it: " + proposal;
  }
  return reason;
}

/// The same without what is said of its origin.
Result<QueueReason> Scheduler::state_of(const JobId& id) const {
  {
    const std::scoped_lock lock(mutex_);
    if (const auto* waiting = queue_.find(id)) {
      return QueueReason{id.str() + " waits: " + queue_.why(id, moment()), waiting->worth};
    }
    if (const auto run = run_of(id); run && news_.is_open(id)) {
      const std::string lane = lanes_.size() > 1 ? " on " + lanes_[run->lane].spec.name : "";
      return QueueReason{id.str() + (has_lane(run)
                                         ? " runs" + lane
                                         : " made way for a job that somebody waits for")};
    }
  }
  WARPMIND_TRY(const Job job, load(id));
  std::string text = id.str() + " is " + std::string(name_of(job.state));
  if (job.dead) text += ", given up after " + std::to_string(job.attempts) + " starts";
  if (!job.error.empty()) text += ": " + job.error;
  for (const auto& attempt : job.history) {
    text += "\n  start " + std::to_string(attempt.epoch) + " on " + attempt.holder + ": " +
            (attempt.outcome.empty() ? "not ended" : attempt.outcome);
  }
  return QueueReason{std::move(text)};
}

std::vector<QueueLine> Scheduler::list() const {
  std::vector<QueueLine> lines = plain_list();
  const std::scoped_lock lock(agenda_mutex_);
  std::map<JobId, std::string> recurring;
  for (const auto& series : series_) recurring[series.current] = series.every;
  for (auto& line : lines) {
    if (const auto found = recurring.find(line.id); found != recurring.end()) {
      line.every = found->second;
    }
    const auto proposal = proposals_.find(line.id);
    if (proposal == proposals_.end()) continue;
    line.proposed = true;
    if (line.held) {
      line.why = "proposed: " + proposal->second.why + "; `warpmind queue resume " + line.id.str() +
                 "` accepts it";
    }
  }
  return lines;
}

/// The same without what is said of their origin.
std::vector<QueueLine> Scheduler::plain_list() const {
  const std::scoped_lock lock(mutex_);
  const Moment now = moment();
  std::vector<QueueLine> lines;
  const auto all = runs();
  for (auto run = all.rbegin(); run != all.rend(); ++run) {
    const JobId& id = (*run)->lease.id;
    const auto status = news_.status(id);
    if (!status || is_final(status->state)) continue;
    QueueLine line;
    line.id = id;
    line.state = JobState::running;
    line.task = status->task;
    if (const auto* job = queue_.leased(id)) {
      line.terms = job->terms;
      line.value = job->worth.value;
    }
    line.lane = lanes_[(*run)->lane].spec.name;
    line.why = has_lane(*run) ? status->activity : "made way for another job";
    lines.push_back(std::move(line));
  }
  bool next = true;
  for (const auto* job : queue_.order(now)) {
    QueueLine line;
    line.id = job->id;
    line.task = job->task;
    line.terms = job->terms;
    line.held = job->held;
    line.value = job->worth.value;
    line.why = queue_.obstacle(*job, now);
    if (line.why.empty() && std::exchange(next, false)) line.why = "it is next";
    lines.push_back(std::move(line));
  }
  return lines;
}

NightView Scheduler::night(const std::string& user) const {
  const std::scoped_lock lock(mutex_);
  const Moment now = moment();
  return {queue_.rules(), now.night, queue_.spent(now.night), queue_.spent(now.night, user),
          queue_.quiet(now)};
}

Result<void> Scheduler::set_rules(const knowledge_base::QueueRules& rules) {
  WARPMIND_CHECK(parse_hours(rules.quiet_hours));
  WARPMIND_CHECK(records_.set_rules(rules));
  {
    const std::scoped_lock lock(mutex_);
    WARPMIND_CHECK(queue_.set_rules(rules));
  }
  changed_.notify_all();
  tell_change();
  return {};
}

}  // namespace warpmind::daemon
