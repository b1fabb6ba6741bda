// Jobs that the queue makes by itself: the next of a series, and proposals.

#include "base/log.h"
#include "daemon/scheduler/recurrence.h"
#include "daemon/scheduler/scheduler.h"
#include "knowledge_base/queue_agenda.h"

#include <utility>

namespace warpmind::daemon {
namespace {

/// Of a job of a series: when it was due.
UnixMillis due_of(const Job& job) { return job.request.terms.not_before.value_or(job.submitted); }

}  // namespace

Result<void> Scheduler::load_agenda() {
  if (agenda_ == nullptr) return {};
  WARPMIND_TRY(auto series, agenda_->series());
  WARPMIND_TRY(auto proposals, agenda_->proposals());
  const std::scoped_lock lock(agenda_mutex_);
  series_ = std::move(series);
  for (auto& proposal : proposals) proposals_[proposal.job] = std::move(proposal);
  return {};
}

Result<Submitted> Scheduler::submit_series(JobRequest request, const std::string& every) {
  if (agenda_ == nullptr) return fail(Errc::unavailable, "this daemon keeps no series of jobs");
  WARPMIND_TRY(const Recurrence recurrence, parse_recurrence(every));
  if (!request.terms.after.empty() || request.terms.deadline) {
    return fail(Errc::invalid_argument,
                "a job that recurs ('every') has no 'deadline' and comes after no other job");
  }
  WARPMIND_CHECK(admit());
  const UnixMillis now = clock_.wall();
  if (!request.terms.not_before) request.terms.not_before = first_due(recurrence, now);
  WARPMIND_TRY(const Job job, agenda_->begin_series(request, every, now));
  {
    const std::scoped_lock lock(agenda_mutex_);
    series_.push_back({job.id, every, request, job.id});
  }
  return accepted(job);
}

/// Queues the next job of each series whose job has ended. A cancelled one ends its series.
void Scheduler::continue_series() {
  if (agenda_ == nullptr) return;
  std::vector<knowledge_base::JobSeries> series;
  {
    const std::scoped_lock lock(agenda_mutex_);
    series = series_;
  }
  for (const auto& one : series) {
    if (news_.is_open(one.current)) continue;
    const auto job = load(one.current);
    if (!job || !is_final(job->state)) continue;
    const auto gone_on = continue_one(one, *job);
    if (!gone_on) {
      log::warn("daemon", "a series of jobs does not go on",
                {{"series", one.first}, {"why", gone_on.error().message}});
    }
  }
}

Result<void> Scheduler::continue_one(const knowledge_base::JobSeries& series, const Job& last) {
  std::optional<Job> next;
  if (last.state == JobState::cancelled) {
    WARPMIND_CHECK(agenda_->end_series(series.first));
    log::info("daemon", "a series of jobs ends", {{"series", series.first}});
  } else {
    WARPMIND_TRY(const Recurrence recurrence, parse_recurrence(series.every));
    UnixMillis now;
    {
      const std::scoped_lock lock(mutex_);
      now = moment().wall;  // a clock that jumps moves no job
    }
    const UnixMillis due = next_due(recurrence, due_of(last), now);
    WARPMIND_TRY(next, agenda_->continue_series(series, due, clock_.wall()));
  }
  {
    const std::scoped_lock lock(agenda_mutex_);
    std::erase_if(series_, [&](const auto& one) { return one.first == series.first; });
    if (next) series_.push_back({series.first, series.every, series.request, next->id});
  }
  if (next) (void)accepted(*next);
  return {};
}

std::string Scheduler::recurrence_of(const JobId& id) const {
  const std::scoped_lock lock(agenda_mutex_);
  for (const auto& series : series_) {
    if (series.current == id) return series.every;
  }
  return {};
}

Result<Submitted> Scheduler::propose(const JobRequest& request,
                                     const knowledge_base::JobProposal& proposal, bool held) {
  if (agenda_ == nullptr) return fail(Errc::unavailable, "this daemon keeps no proposals");
  WARPMIND_CHECK(admit());
  WARPMIND_TRY(const Job job, agenda_->propose(request, proposal, held, clock_.wall()));
  {
    const std::scoped_lock lock(agenda_mutex_);
    proposals_[job.id] = proposal;
  }
  log::info("daemon", "a job is proposed", {{"job", job.id}, {"why", proposal.why}});
  return accepted(job);
}

bool Scheduler::was_proposed(const std::string& subject) const {
  const std::scoped_lock lock(agenda_mutex_);
  for (const auto& [id, proposal] : proposals_) {
    if (proposal.subject == subject) return true;
  }
  return false;
}

std::string Scheduler::proposal_of(const JobId& id) const {
  const std::scoped_lock lock(agenda_mutex_);
  const auto found = proposals_.find(id);
  return found == proposals_.end() ? std::string() : found->second.why;
}

}  // namespace warpmind::daemon
