#include "daemon/scheduler/job_ledger.h"

#include "base/job_names.h"
#include "base/log.h"
#include "base/model/attempts.h"
#include "base/model/spent_arithmetic.h"

#include <algorithm>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::int64_t kRecentJobs = 64;  // finished jobs of an earlier run that status knows

EpisodeId draft_of(const Job& job) { return EpisodeId("e" + job.id.str().substr(1)); }

}  // namespace

bool may_be_taken_later(const Error& refusal) {
  return refusal.code == Errc::unavailable || refusal.code == Errc::external_failure;
}

JobLedger::JobLedger(knowledge_base::KnowledgeStore& store, const Clock& clock, Observer observer,
                     EndObserver on_end)
    : store_(store), clock_(clock), news_(std::move(observer)), on_end_(std::move(on_end)) {}

Result<std::vector<Job>> JobLedger::take_over() {
  WARPMIND_TRY(auto finished, store_.recent_jobs(kRecentJobs));
  std::reverse(finished.begin(), finished.end());  // oldest first, so that it is forgotten first
  for (const auto& job : finished) {
    if (is_final(job.state)) news_.remember(job, finished_line(job));
  }
  WARPMIND_TRY(auto jobs, store_.unfinished_jobs());
  std::vector<Job> waiting;
  for (auto& job : jobs) {
    WARPMIND_TRY(const bool waits, take_over_one(job));
    if (waits) waiting.push_back(std::move(job));
  }
  return waiting;
}

/// Whether it waits for a lane.
Result<bool> JobLedger::take_over_one(Job& job) {
  // Its candidates come from outside; the lane has nothing to run.
  if (job.request.proposer == kExternalProposer) {
    news_.remember(job, "waits for candidates from outside");
    return false;
  }
  if (job.state == JobState::running) {
    if (got_further(job)) --job.attempts;  // it is not what the daemon died of
    const bool hopeless = job.attempts >= kMostAttempts;
    job.state = hopeless ? JobState::failed : JobState::queued;
    job.dead = hopeless;
    close_start(job, "the daemon ended while the job ran");
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
  return waits;
}

Result<Job> JobLedger::find_job(const JobId& id) const {
  WARPMIND_TRY(auto job, store_.find_job(id));
  if (!job) return fail(Errc::not_found, "there is no job '" + id.str().substr(0, 64) + "'");
  return std::move(*job);
}

Result<Job> JobLedger::add_job(const JobRequest& request) {
  return store_.add_job(request, clock_.wall());
}

Result<void> JobLedger::record(const Job& job, const char* what) {
  auto updated = store_.update_job(job);
  if (!updated) {
    log::error("daemon", std::string("cannot record ") + what,
               {{"job", job.id}, {"why", updated.error().message}});
  }
  return updated;
}

Result<Job> JobLedger::begin_start(const Lease& lease, const std::string& holder,
                                   const std::string& night) {
  WARPMIND_TRY(Job job, find_job(lease.id));
  if (is_final(job.state)) {
    return fail(Errc::conflict, job.id.str() + " has ended: " + std::string(name_of(job.state)));
  }
  job.state = JobState::running;
  ++job.attempts;
  job.epoch = lease.epoch;
  job.request.terms.night = night;
  begin_attempt(job, holder, clock_.wall());
  WARPMIND_CHECK(store_.update_job(job));
  return job;
}

void JobLedger::close_start(Job& job, const std::string& outcome) const {
  close_attempt(job, clock_.wall(), outcome);
}

Spent JobLedger::kept_of(const Job& job) const {
  const auto draft = store_.find_draft(draft_of(job));
  return draft && *draft ? (*draft)->cost : Spent{};
}

bool JobLedger::got_further(const Job& job) const {
  const auto draft = store_.find_draft(draft_of(job));
  return draft && *draft && job.epoch > 0 && (*draft)->epoch == job.epoch;
}

Result<JobState> JobLedger::cancel_waiting(const JobId& id) {
  WARPMIND_TRY(Job job, find_job(id));
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
  on_end_(job, {});
  announce(id, JobState::cancelled, "cancelled before it started");
  return JobState::cancelled;
}

Result<Job> JobLedger::reopened(const JobId& id) const {
  WARPMIND_TRY(Job job, find_job(id));
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
  return job;
}

void JobLedger::fail_job(Job job, std::string why) {
  job.state = JobState::failed;
  job.error = std::move(why);
  end_job(std::move(job));
}

void JobLedger::end_job(Job job) {
  if (const auto recorded = record(job, "how a job ended"); !recorded) {
    if (has_ended_meanwhile(job)) return;
    if (may_be_taken_later(recorded.error())) return await_space(std::move(job), recorded.error());
  }
  tell_end(job);
}

void JobLedger::tell_stored_end(const Job& stored, const Spent& late) {
  log::info("daemon", "job ended", {{"job", stored.id}, {"state", name_of(stored.state)}});
  on_end_(stored, late);
  news_.remember(stored, finished_line(stored));
  news_.announce(stored.id, [](JobNews::Entry&) {});
}

bool JobLedger::has_ended_meanwhile(const Job& job) {
  const auto stored = find_job(job.id);
  if (!stored || !stored->episode) return false;
  Spent late = stored->spent;
  late -= job.spent;  // that was charged when its start was settled
  tell_stored_end(*stored, late);
  return true;
}

void JobLedger::await_space(Job job, const Error& refusal) {
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

void JobLedger::store_ends() {
  std::vector<Job> ends;
  {
    const std::scoped_lock lock(mutex_);
    ends = std::exchange(unstored_, {});
  }
  for (auto& job : ends) {
    if (const auto stored = find_job(job.id); stored && is_final(stored->state)) {
      tell_stored_end(*stored);  // cancelled in between
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

void JobLedger::tell_end(const Job& job) {
  if (job.state == JobState::failed) {
    log::error("daemon", "job failed", {{"job", job.id}, {"why", job.error}});
  } else {
    log::info("daemon", "job ended", {{"job", job.id}, {"state", name_of(job.state)}});
  }
  on_end_(job, {});
  news_.announce(job.id, [&job](JobNews::Entry& entry) {
    entry.progress.state = job.state;
    entry.progress.line = finished_line(job);
    entry.error = job.error;
  });
}

void JobLedger::announce(const JobId& id, JobState state, std::string line) {
  news_.announce(id, [&](JobNews::Entry& entry) {
    entry.progress.state = state;
    entry.progress.line = std::move(line);
  });
}

void JobLedger::announce_line(const JobId& id, std::string line) {
  news_.announce(id, [&](JobNews::Entry& entry) { entry.progress.line = std::move(line); });
}

void JobLedger::announce_progress(const JobId& id, const JobProgress& progress) {
  news_.announce(id, [&progress](JobNews::Entry& entry) {
    static_cast<JobProgress&>(entry.progress) = progress;
  });
}

Result<protocol::TaskStatusResult> JobLedger::status(const JobId& id) const {
  if (auto known = news_.status(id)) return std::move(*known);
  WARPMIND_TRY(const Job job, find_job(id));
  auto progress = progress_of(job);
  progress.line = finished_line(job);
  return status_of(progress, job.request.task.name, job.error);
}

Result<std::string> JobLedger::history_text(const JobId& id) const {
  WARPMIND_TRY(const Job job, find_job(id));
  std::string text = id.str() + " is " + std::string(name_of(job.state));
  if (job.dead) text += ", given up after " + std::to_string(job.attempts) + " starts";
  if (!job.error.empty()) text += ": " + job.error;
  for (const auto& attempt : job.history) {
    text += "\n  start " + std::to_string(attempt.epoch) + " on " + attempt.holder + ": " +
            (attempt.outcome.empty() ? "not ended" : attempt.outcome);
  }
  return text;
}

}  // namespace warpmind::daemon
