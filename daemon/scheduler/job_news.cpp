#include "daemon/scheduler/job_news.h"

#include "base/sequence.h"

#include <algorithm>
#include <utility>

namespace warpmind::daemon {
namespace {

constexpr std::size_t kRemembered = 64;  // finished jobs kept in memory for status

std::string summary_line(const protocol::ProgressParams& progress, const std::string& task) {
  std::string line = progress.job_id + ' ' + std::string(name_of(progress.state)) + ' ' + task;
  if (progress.state == JobState::running) {
    line += " step " + std::to_string(progress.step) + " of " + std::to_string(progress.steps);
  }
  return line;
}

}  // namespace

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

void JobNews::remember(const Job& job, std::string line) {
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

void JobNews::announce(const JobId& id, const std::function<void(Entry&)>& change) {
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

std::optional<protocol::TaskStatusResult> JobNews::status(const JobId& id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return std::nullopt;
  return status_of(found->second.progress, found->second.task, found->second.error);
}

std::optional<JobEvent> JobNews::latest(const JobId& id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(id);
  if (found == entries_.end()) return std::nullopt;
  return JobEvent{found->second.progress, found->second.sequence};
}

bool JobNews::is_open(const JobId& id) const {
  const std::scoped_lock lock(mutex_);
  const auto found = entries_.find(id);
  return found != entries_.end() && !is_final(found->second.progress.state);
}

std::vector<std::string> JobNews::lines(std::size_t limit) const {
  const std::scoped_lock lock(mutex_);
  std::vector<std::string> lines;
  for (auto entry = entries_.rbegin(); entry != entries_.rend() && lines.size() < limit; ++entry) {
    lines.push_back(summary_line(entry->second.progress, entry->second.task));
  }
  return lines;
}

/// Drops the oldest finished job from memory for the one that ended. Called with the lock held.
void JobNews::forget_old(const JobId& ended) {
  // A job that was tried again has its place already.
  if (contains(finished_, ended)) return;
  finished_.push_back(ended);
  if (finished_.size() <= kRemembered) return;
  const auto oldest = entries_.find(finished_.front());
  if (oldest != entries_.end() && is_final(oldest->second.progress.state)) entries_.erase(oldest);
  finished_.pop_front();
}

}  // namespace warpmind::daemon
