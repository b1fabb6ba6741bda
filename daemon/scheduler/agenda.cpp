#include "daemon/scheduler/agenda.h"

#include "base/log.h"
#include "base/model/spent_arithmetic.h"
#include "daemon/scheduler/recurrence.h"

#include <utility>

namespace warpmind::daemon {
namespace {

/// Of a job of a series: when it was due.
UnixMillis due_of(const Job& job) { return job.request.terms.not_before.value_or(job.submitted); }

}  // namespace

protocol::QueueJob queue_line(const WaitingJob& job) {
  protocol::QueueJob line;
  line.job_id = job.id.str();
  line.task = job.task;
  line.user = job.terms.user;
  line.priority = job.terms.priority;
  line.background = job.terms.background;
  line.held = job.held;
  line.value = job.worth.value;
  return line;
}

Result<void> Agenda::load() {
  WARPMIND_TRY(const auto rules, parts_.records.rules());
  {
    const std::scoped_lock lock(mutex_);
    WARPMIND_CHECK(queue_.set_rules(rules));
  }
  WARPMIND_CHECK(charge_this_night());
  if (parts_.series == nullptr) return {};
  WARPMIND_TRY(auto series, parts_.series->series());
  WARPMIND_TRY(auto proposals, parts_.series->proposals());
  const std::scoped_lock lock(mutex_);
  series_ = std::move(series);
  for (auto& proposal : proposals) proposals_[proposal.job] = std::move(proposal);
  return {};
}

/// What this night's jobs of the background have cost so far, those that run again included.
Result<void> Agenda::charge_this_night() {
  const std::string night = night_now();
  WARPMIND_TRY(const auto jobs, parts_.records.jobs_of(night));
  const std::scoped_lock lock(mutex_);
  for (const auto& job : jobs) {
    const QueueTerms& terms = job.request.terms;
    if (terms.background) queue_.charge(night, terms.user, job.spent);
  }
  return {};
}

Result<void> Agenda::admit() const {
  const std::scoped_lock lock(mutex_);
  if (closed_) {
    return fail(Errc::unavailable,
                "the daemon is shutting down; submit again when it has been started again");
  }
  if (queue_.waiting() >= parts_.most_waiting) {
    return fail(Errc::unavailable, std::to_string(parts_.most_waiting) +
                                       " jobs wait already; submit again when some are done");
  }
  return {};
}

void Agenda::close() {
  const std::scoped_lock lock(mutex_);
  closed_ = true;
}

bool Agenda::is_closed() const {
  const std::scoped_lock lock(mutex_);
  return closed_;
}

JobRequest Agenda::with_worth(JobRequest request) const {
  if (!parts_.worth || !request.terms.background) return request;
  JobWorth worth = parts_.worth(request);
  request.terms.worth = worth.value;
  request.terms.worth_why = std::move(worth.why);
  return request;
}

WaitingJob Agenda::waiting_job(const Job& job) const {
  const QueueTerms& terms = job.request.terms;
  WaitingJob waiting;
  waiting.id = job.id;
  waiting.task = job.request.task.name;
  waiting.terms = terms;
  waiting.budget = job.request.budget;
  waiting.provider = job.request.provider;
  waiting.spent = job.spent;
  if (job.epoch > 0) waiting.kept = parts_.ledger.kept_of(job);
  waiting.epoch = job.epoch;
  waiting.held = job.held;
  waiting.unfinished.insert(terms.after.begin(), terms.after.end());
  if (terms.worth) {
    waiting.worth = {*terms.worth, terms.worth_why};
  } else if (parts_.worth && terms.background) {
    waiting.worth = parts_.worth(job.request);
  }
  return waiting;
}

void Agenda::put(const Job& job, std::chrono::seconds delay) {
  WaitingJob waiting = waiting_job(job);
  if (delay > delay.zero()) waiting.again = parts_.clock.monotonic() + delay;
  put(std::move(waiting));
}

/// Jobs that it comes after and that have ended are struck off then, so that no end is missed in
/// between.
void Agenda::put(WaitingJob waiting) {
  const auto after = waiting.unfinished;
  {
    const std::scoped_lock lock(mutex_);
    queue_.put(std::move(waiting));
  }
  for (const auto& id : after) {
    const auto job = parts_.ledger.find_job(id);
    if (job && !is_final(job->state)) continue;
    const std::scoped_lock lock(mutex_);
    queue_.ended(id, job ? job->state : JobState::failed);
  }
  parts_.on_change();
}

std::optional<WaitingJob> Agenda::take(const JobId& id) {
  const std::scoped_lock lock(mutex_);
  return queue_.take(id);
}

std::optional<Lease> Agenda::claim(Claimable which, const LaneSkills& lane) {
  const std::scoped_lock lock(mutex_);
  return queue_.claim(moment(), which, lane);
}

void Agenda::unclaim(const JobId& id) {
  const std::scoped_lock lock(mutex_);
  queue_.unclaim(id);
}

void Agenda::renew(const JobId& id) {
  const std::scoped_lock lock(mutex_);
  queue_.renew(id, moment());
}

bool Agenda::settle(const Lease& lease, const Spent& cost) {
  const std::scoped_lock lock(mutex_);
  return queue_.settle(lease.id, lease.epoch, cost);
}

void Agenda::note_end(const Job& job, const Spent& late) {
  const QueueTerms& terms = job.request.terms;
  const std::scoped_lock lock(mutex_);
  if (terms.background && late != Spent{}) queue_.charge(terms.night, terms.user, late);
  queue_.ended(job.id, job.state);
}

void Agenda::charge_lost_lease(const Job& job, const Passing& passing) {
  if (passing.night.empty()) return;
  Spent kept = job.spent;  // with the steps that it kept
  kept -= passing.before;
  const std::scoped_lock lock(mutex_);
  queue_.charge(passing.night, job.request.terms.user, kept);
}

std::vector<Passing> Agenda::tick() {
  std::vector<Passing> passed;
  bool turned = false;
  {
    const std::scoped_lock lock(mutex_);
    if (closed_) return {};
    passed = queue_.tick(moment());
    turned = has_time_changed_something();
  }
  if (turned) parts_.on_change();
  return passed;
}

/// Whether another night or quiet hours began or ended, or the moment came that a job waited for.
/// Called with the lock held.
bool Agenda::has_time_changed_something() {
  const Moment now = moment();
  const auto before =
      std::exchange(seen_, {now.night, queue_.quiet(now), queue_.waiting_for_time(now)});
  return before != seen_;
}

std::size_t Agenda::waiting() const {
  const std::scoped_lock lock(mutex_);
  return queue_.waiting();
}

bool Agenda::waits(const JobId& id) const {
  const std::scoped_lock lock(mutex_);
  return queue_.find(id) != nullptr;
}

std::optional<std::int64_t> Agenda::ahead_of(const JobId& id) const {
  const std::scoped_lock lock(mutex_);
  if (queue_.leased(id) != nullptr) return std::nullopt;
  return queue_.ahead_of(id);
}

bool Agenda::is_quiet() const {
  const std::scoped_lock lock(mutex_);
  return queue_.quiet(moment());
}

std::string Agenda::night_now() const {
  const std::scoped_lock lock(mutex_);
  return moment().night;
}

NightView Agenda::night(const std::string& user) const {
  const std::scoped_lock lock(mutex_);
  const Moment now = moment();
  return {queue_.rules(), now.night, queue_.spent(now.night), queue_.spent(now.night, user),
          queue_.quiet(now)};
}

Result<void> Agenda::set_rules(const knowledge_base::QueueRules& rules) {
  WARPMIND_CHECK(parse_hours(rules.quiet_hours));
  WARPMIND_CHECK(parts_.records.set_rules(rules));
  {
    const std::scoped_lock lock(mutex_);
    WARPMIND_CHECK(queue_.set_rules(rules));
  }
  parts_.on_change();
  return {};
}

std::optional<QueueReason> Agenda::why_waiting(const JobId& id) const {
  const std::scoped_lock lock(mutex_);
  const auto* job = queue_.find(id);
  if (job == nullptr) return std::nullopt;
  return QueueReason{id.str() + " waits: " + queue_.why(id, moment()), job->worth};
}

std::string Agenda::origin_text(const JobId& id) const {
  std::string text;
  const std::scoped_lock lock(mutex_);
  for (const auto& series : series_) {
    if (series.current != id || series.every.empty()) continue;
    text += "\n  it recurs: " + series.every + "; cancelling it ends the series";
    break;
  }
  const auto found = proposals_.find(id);
  if (found != proposals_.end() && !found->second.why.empty()) {
    text += "\n  the daemon proposed it: " + found->second.why;
  }
  return text;
}

std::vector<protocol::QueueJob> Agenda::waiting_lines() const {
  const std::scoped_lock lock(mutex_);
  const Moment now = moment();
  std::vector<protocol::QueueJob> lines;
  bool next = true;
  for (const auto* job : queue_.order(now)) {
    auto line = queue_line(*job);
    line.why = queue_.obstacle(*job, now);
    if (line.why.empty() && std::exchange(next, false)) line.why = "it is next";
    lines.push_back(std::move(line));
  }
  return lines;
}

protocol::QueueJob Agenda::leased_line(const JobId& id) const {
  const std::scoped_lock lock(mutex_);
  const auto* job = queue_.leased(id);
  auto line = queue_line(job == nullptr ? WaitingJob{} : *job);
  line.job_id = id.str();  // its lease may have been taken back
  line.state = JobState::running;
  line.held = false;
  return line;
}

void Agenda::add_origins(std::vector<protocol::QueueJob>& lines) const {
  const std::scoped_lock lock(mutex_);
  std::map<JobId, std::string> recurring;
  for (const auto& series : series_) recurring[series.current] = series.every;
  for (auto& line : lines) {
    const JobId id(line.job_id);
    if (const auto found = recurring.find(id); found != recurring.end()) {
      line.every = found->second;
    }
    const auto proposal = proposals_.find(id);
    if (proposal == proposals_.end()) continue;
    line.proposed = true;
    if (line.held) {
      line.why = "proposed: " + proposal->second.why + "; `warpmind queue resume " + line.job_id +
                 "` accepts it";
    }
  }
}

Result<Job> Agenda::begin_series(JobRequest request, const std::string& every) {
  if (parts_.series == nullptr) {
    return fail(Errc::unavailable, "this daemon keeps no series of jobs");
  }
  WARPMIND_TRY(const Recurrence recurrence, parse_recurrence(every));
  if (!request.terms.after.empty() || request.terms.deadline) {
    return fail(Errc::invalid_argument,
                "a job that recurs ('every') has no 'deadline' and comes after no other job");
  }
  WARPMIND_CHECK(admit());
  const UnixMillis now = parts_.clock.wall();
  if (!request.terms.not_before) request.terms.not_before = first_due(recurrence, now);
  WARPMIND_TRY(Job job, parts_.series->begin_series(request, every, now));
  const std::scoped_lock lock(mutex_);
  series_.push_back({job.id, every, std::move(request), job.id});
  return job;
}

std::vector<Job> Agenda::continue_series() {
  std::vector<Job> next;
  if (parts_.series == nullptr) return next;
  std::vector<knowledge_base::JobSeries> series;
  {
    const std::scoped_lock lock(mutex_);
    series = series_;
  }
  for (const auto& one : series) {
    if (parts_.ledger.is_open(one.current)) continue;
    const auto last = parts_.ledger.find_job(one.current);
    if (!last || !is_final(last->state)) continue;
    auto job = continue_one(one, *last);
    if (!job) {
      log::warn("daemon", "a series of jobs does not go on",
                {{"series", one.first}, {"why", job.error().message}});
    } else if (*job) {
      next.push_back(**std::move(job));
    }
  }
  return next;
}

Result<std::optional<Job>> Agenda::continue_one(const knowledge_base::JobSeries& series,
                                                const Job& last) {
  std::optional<Job> next;
  if (last.state == JobState::cancelled) {
    WARPMIND_CHECK(parts_.series->end_series(series.first));
    log::info("daemon", "a series of jobs ends", {{"series", series.first}});
  } else {
    WARPMIND_TRY(const Recurrence recurrence, parse_recurrence(series.every));
    UnixMillis now;
    {
      const std::scoped_lock lock(mutex_);
      now = moment().wall;  // a clock that jumps moves no job
    }
    const UnixMillis due = next_due(recurrence, due_of(last), now);
    WARPMIND_TRY(next, parts_.series->continue_series(series, due, parts_.clock.wall()));
  }
  const std::scoped_lock lock(mutex_);
  std::erase_if(series_, [&](const auto& one) { return one.first == series.first; });
  if (next) series_.push_back({series.first, series.every, series.request, next->id});
  return next;
}

Result<Job> Agenda::propose(const JobRequest& request, const knowledge_base::JobProposal& proposal,
                            bool held) {
  if (parts_.series == nullptr) return fail(Errc::unavailable, "this daemon keeps no proposals");
  WARPMIND_CHECK(admit());
  WARPMIND_TRY(Job job, parts_.series->propose(request, proposal, held, parts_.clock.wall()));
  {
    const std::scoped_lock lock(mutex_);
    proposals_[job.id] = proposal;
  }
  log::info("daemon", "a job is proposed", {{"job", job.id}, {"why", proposal.why}});
  return job;
}

bool Agenda::was_proposed(const std::string& subject) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& [id, proposal] : proposals_) {
    if (proposal.subject == subject) return true;
  }
  return false;
}

/// Called with the lock held.
Moment Agenda::moment() const {
  const auto steady = parts_.clock.monotonic();
  return moment_at(steady, wall_.at(steady, parts_.clock.wall()));
}

}  // namespace warpmind::daemon
