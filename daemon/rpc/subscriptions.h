#pragma once
/// \file
/// Which connection watches which job.

#include "daemon/scheduler/job_event.h"
#include "daemon/transport/connections.h"

#include <functional>
#include <map>
#include <optional>

namespace warpmind::daemon {

/// Sends `task.progress` to the connections that watch a job; the final event ends the watch.
/// Threads: io thread only.
class Subscriptions {
 public:
  using Latest = std::function<std::optional<JobEvent>(const JobId&)>;

  /// `latest` gives the newest event of a job that the scheduler still holds. References must
  /// outlive this.
  Subscriptions(Connections& connections, Latest latest)
      : connections_(connections), latest_(std::move(latest)) {}

  /// Sends the newest event at once (`fallback` for a job that ended long ago), and, unless that
  /// is final, every later one.
  void watch(ConnectionId connection, const JobId& job, const JobEvent& fallback);
  void publish(const JobEvent& event);
  void forget(ConnectionId connection);
  [[nodiscard]] bool is_watching(ConnectionId connection) const;

 private:
  using Watchers = std::map<ConnectionId, std::uint64_t>;  // last sequence sent

  Connections& connections_;
  Latest latest_;
  std::map<JobId, Watchers> jobs_;
};

}  // namespace warpmind::daemon
