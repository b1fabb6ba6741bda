#pragma once
/// \file
/// Another protocol on the daemon's own lines: what it says to messages that are its own.

#include "daemon/protocol/envelope.h"
#include "daemon/scheduler/job_event.h"
#include "daemon/transport/connections.h"

namespace warpmind::daemon {

/// Threads: io thread only.
class Dialect {
 public:
  virtual ~Dialect() = default;
  /// True when the message is of this dialect, and was dealt with or will be answered.
  virtual bool take(ConnectionId connection, protocol::Message& message) = 0;
  /// Whether the connection speaks it: such a one may be silent for hours.
  [[nodiscard]] virtual bool is_spoken_by(ConnectionId connection) const = 0;
  /// News about a job, in the order of the io thread.
  virtual void on_event(const JobEvent& event) = 0;
  virtual void forget(ConnectionId connection) = 0;
};

}  // namespace warpmind::daemon
