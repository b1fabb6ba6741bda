#pragma once
/// \file
/// What a job of the background is expected to be worth, from what the base knows of its task.

#include "base/clock.h"
#include "base/model/job.h"
#include "daemon/scheduler/night_queue.h"
#include "knowledge_base/knowledge_base.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace warpmind::daemon {

/// value = ln(gain) * headroom * frequency / cost (docs/queues.md). The gain is the upper end of
/// what the best technique is predicted to bring: what is uncertain is tried first.
///
/// Threads: any. `base` and `clock` must outlive it.
class QueueWorth {
 public:
  QueueWorth(knowledge_base::KnowledgeBase& base, const Clock& clock)
      : base_(base), clock_(clock) {}

  /// Asks the base once in ten minutes for each task. Worth nothing when it cannot be asked.
  [[nodiscard]] JobWorth expected_worth(const JobRequest& request);

 private:
  struct Outlook {
    std::chrono::steady_clock::time_point asked;
    double gain = 1;
    double likely = 1;
    std::string technique;
    std::int64_t episodes = 0;
    std::string refused;  ///< why the base could not be asked
  };
  [[nodiscard]] Outlook outlook(const JobRequest& request);
  [[nodiscard]] Outlook ask(const JobRequest& request);

  knowledge_base::KnowledgeBase& base_;
  const Clock& clock_;
  std::mutex mutex_;
  std::vector<std::string> techniques_;
  std::map<std::string, Outlook> known_;  // by task and provider
};

}  // namespace warpmind::daemon
