#pragma once
/// \file
/// What is known of unfinished jobs, and of the last few that ended, without asking the disk.

#include "base/model/job.h"
#include "daemon/scheduler/job_event.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::daemon {

/// One line for a person on how a job that ended did.
[[nodiscard]] std::string finished_line(const Job& job);
/// The state of a stored job, `line` empty.
[[nodiscard]] protocol::ProgressParams progress_of(const Job& job);

/// Threads: all functions from any thread. The observer is called without a lock held.
class JobNews {
 public:
  using Observer = std::function<void(const JobEvent&)>;
  struct Entry {
    protocol::ProgressParams progress;
    std::string task;
    std::string error;
    std::uint64_t sequence = 0;
  };

  explicit JobNews(Observer observer) : observer_(std::move(observer)) {}

  /// Takes the stored state over; nobody is told.
  void remember(const Job& job, std::string line);
  /// Changes an entry and tells the observer, who must see the newest state and may see it twice.
  void announce(const JobId& id, const std::function<void(Entry&)>& change);

  [[nodiscard]] std::optional<protocol::TaskStatusResult> status(const JobId& id) const;
  [[nodiscard]] std::optional<JobEvent> latest(const JobId& id) const;
  /// Known, and not ended.
  [[nodiscard]] bool is_open(const JobId& id) const;
  /// The newest first, at most `limit`.
  [[nodiscard]] std::vector<std::string> lines(std::size_t limit) const;

 private:
  void forget_old(const JobId& ended);

  Observer observer_;
  mutable std::mutex mutex_;
  std::map<JobId, Entry> entries_;
  std::deque<JobId> finished_;  // those of entries_ that are finished, oldest first
  std::uint64_t last_sequence_ = 0;
};

[[nodiscard]] protocol::TaskStatusResult status_of(const protocol::ProgressParams& progress,
                                                   std::string task, std::string error);

}  // namespace warpmind::daemon
