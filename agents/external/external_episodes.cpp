#include "agents/external/external_episodes.h"

#include "agents/external/outside_proposer.h"
#include "base/log.h"
#include "base/text.h"

#include <utility>

namespace warpmind::agents {

ExternalEpisodes::ExternalEpisodes(knowledge_base::KnowledgeStore& store,
                                   const config::DeviceTable& devices, LabSource labs,
                                   const Clock& clock, ExternalOptions options)
    : store_(store),
      devices_(devices),
      labs_(std::move(labs)),
      clock_(clock),
      options_(std::move(options)) {}

Result<void> ExternalEpisodes::start() {
  WARPMIND_TRY(const auto jobs, store_.unfinished_jobs());
  const std::scoped_lock lock(mutex_);
  for (const auto& job : jobs) {
    if (job.request.proposer != kExternalProposer) continue;
    auto guest = std::make_shared<Guest>();
    renew(*guest);
    guests_[job.id] = std::move(guest);
  }
  return {};
}

void ExternalEpisodes::renew(Guest& guest) {
  guest.lease_end = clock_.monotonic() + std::chrono::duration_cast<std::chrono::nanoseconds>(
                                             std::chrono::duration<double>(options_.lease_seconds));
}

Result<EpisodeBrief> ExternalEpisodes::open(const JobRequest& request) {
  auto guest = std::make_shared<Guest>();
  const std::scoped_lock opening(guest->opening);
  {
    const std::scoped_lock lock(mutex_);
    if (is_stopping_) return fail(Errc::unavailable, "the daemon is shutting down");
    if (guests_.size() >= options_.most_open) {
      return fail(Errc::unavailable, std::to_string(guests_.size()) +
                                         " external episodes are open already; close some");
    }
  }
  WARPMIND_TRY(Job job, store_.add_job(request, clock_.wall()));
  job.state = JobState::running;
  job.attempts = 1;
  WARPMIND_CHECK(store_.update_job(job));
  {
    const std::scoped_lock lock(mutex_);
    renew(*guest);
    guests_[job.id] = guest;
  }
  if (auto made = make(*guest, job); !made) {
    WARPMIND_CHECK(give_up(job, made.error()));
    return fail(std::move(made).error());
  }
  if (!guest->can_be_improved) {
    WARPMIND_TRY(const Episode episode, guest->episode->close("the given kernel is not right"));
    forget(job.id);
    tell(job.id);
    return fail(Errc::invalid_argument, episode.summary);
  }
  renew(*guest);
  return leased_brief(*guest);
}

Result<EpisodeBrief> ExternalEpisodes::leased_brief(Guest& guest) const {
  WARPMIND_TRY(auto brief, guest.episode->brief());
  brief.lease_s = options_.lease_seconds;
  return brief;
}

/// A job that could not be opened ends as failed.
Result<void> ExternalEpisodes::give_up(const Job& job, const Error& error) {
  forget(job.id);
  Job failed = job;
  failed.state = JobState::failed;
  failed.error = error.message;
  WARPMIND_CHECK(store_.update_job(failed));
  tell(job.id);
  return {};
}

Result<void> ExternalEpisodes::make(Guest& guest, const Job& job) {
  WARPMIND_TRY(guest.lab, labs_(job.request));
  WARPMIND_TRY(auto techniques, options_.techniques());
  guest.proposer = std::make_unique<OutsideProposer>(std::move(techniques));
  guest.episode = std::make_unique<ExternalEpisode>(
      EpisodeParts{*guest.lab, store_, *guest.proposer, devices_, clock_, options_.memory}, store_,
      job, guest.stop.get_token());
  auto opened = guest.episode->open();
  if (!opened) {
    guest.episode.reset();
    return fail(std::move(opened).error());
  }
  guest.can_be_improved = *opened;
  return {};
}

Result<ExternalEpisodes::GuestPointer> ExternalEpisodes::find(const JobId& id) {
  GuestPointer guest;
  {
    const std::scoped_lock lock(mutex_);
    if (is_stopping_) return fail(Errc::unavailable, "the daemon is shutting down");
    const auto found = guests_.find(id);
    if (found != guests_.end()) {
      guest = found->second;
      renew(*guest);
    }
  }
  if (guest) {
    const std::scoped_lock opening(guest->opening);
    if (guest->episode) return guest;
    WARPMIND_TRY(const auto left_open, store_.find_job(id));
    if (!left_open) return fail(Errc::not_found, "there is no job " + id.str());
    WARPMIND_CHECK(make(*guest, *left_open));
    return guest;
  }
  WARPMIND_TRY(const auto job, store_.find_job(id));
  if (!job) return fail(Errc::not_found, "there is no job " + id.str());
  const bool was_external = job->request.proposer == kExternalProposer;
  return fail(Errc::conflict, id.str() + (was_external ? " is closed" : " is no external episode"));
}

Result<EpisodeBrief> ExternalEpisodes::brief(const JobId& id) {
  WARPMIND_TRY(const auto guest, find(id));
  return leased_brief(*guest);
}

Result<Feedback> ExternalEpisodes::submit(const JobId& id, const Submission& submission) {
  WARPMIND_TRY(const auto guest, find(id));
  auto feedback = guest->episode->submit(submission);
  // The lease runs from the answer: judging takes its time.
  const std::scoped_lock lock(mutex_);
  renew(*guest);
  return feedback;
}

Result<Episode> ExternalEpisodes::close(const JobId& id, const std::string& why) {
  WARPMIND_TRY(const auto guest, find(id));
  WARPMIND_TRY(Episode episode, guest->episode->close(why));
  forget(id);
  tell(id);
  log::info("agents", "external episode closed",
            {{"job", id}, {"steps", episode.steps.size()}, {"summary", episode.summary}});
  return episode;
}

void ExternalEpisodes::forget(const JobId& id) {
  const std::scoped_lock lock(mutex_);
  guests_.erase(id);
}

void ExternalEpisodes::tell(const JobId& id) const {
  if (told_) told_(id);
}

std::size_t ExternalEpisodes::expire() {
  std::vector<JobId> over;
  {
    const std::scoped_lock lock(mutex_);
    for (const auto& [id, guest] : guests_) {
      if (guest->lease_end <= clock_.monotonic()) over.push_back(id);
    }
  }
  std::size_t closed = 0;
  for (const auto& id : over) {
    auto ended = close(id, "its lease of " + fixed(options_.lease_seconds, 0) + " s is over");
    if (ended) {
      ++closed;
    } else {
      log::warn("agents", "an external episode whose lease is over could not be closed",
                {{"job", id}, {"why", ended.error().message}});
    }
  }
  return closed;
}

void ExternalEpisodes::stop() {
  const std::scoped_lock lock(mutex_);
  is_stopping_ = true;
  for (const auto& [id, guest] : guests_) {
    guest->stop.request_stop();
  }
}

}  // namespace warpmind::agents
