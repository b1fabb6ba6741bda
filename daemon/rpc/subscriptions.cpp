#include "daemon/rpc/subscriptions.h"

#include "daemon/protocol/envelope.h"
#include "daemon/protocol/message_codec.h"

#include <algorithm>

namespace warpmind::daemon {
namespace {

std::string line_of(const JobEvent& event) {
  return protocol::make_notification("task.progress", protocol::encode(event.progress));
}

}  // namespace

void Subscriptions::watch(ConnectionId connection, const JobId& job, const JobEvent& fallback) {
  const JobEvent event = latest_(job).value_or(fallback);
  connections_.send(connection, line_of(event));
  if (!is_final(event.progress.state)) jobs_[job][connection] = event.sequence;
}

void Subscriptions::publish(const JobEvent& event) {
  const auto found = jobs_.find(JobId(event.progress.job_id));
  if (found == jobs_.end()) return;
  const std::string line = line_of(event);
  for (auto& [connection, last] : found->second) {
    // Events of several threads may arrive out of order; the older one is worth nothing then.
    if (event.sequence <= last) continue;
    last = event.sequence;
    connections_.send(connection, line);
  }
  if (is_final(event.progress.state)) jobs_.erase(found);
}

void Subscriptions::forget(ConnectionId connection) {
  for (auto job = jobs_.begin(); job != jobs_.end();) {
    job->second.erase(connection);
    job = job->second.empty() ? jobs_.erase(job) : std::next(job);
  }
}

bool Subscriptions::is_watching(ConnectionId connection) const {
  return std::any_of(jobs_.begin(), jobs_.end(),
                     [connection](const auto& job) { return job.second.contains(connection); });
}

}  // namespace warpmind::daemon
