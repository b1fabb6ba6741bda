#pragma once
/// \file
/// A job that is followed to its end.

#include "base/model/job.h"
#include "clients/cli/interrupts.h"
#include "clients/cli/report/progress_line.h"
#include "clients/daemon_client.h"

#include <string>
#include <utility>

namespace warpmind::clients {

/// The first Ctrl-C asks the daemon to cancel, the second leaves.
class JobWatch {
 public:
  JobWatch(DaemonClient& client, Interrupts& interrupts, ProgressDisplay& display, std::string job)
      : client_(client), interrupts_(interrupts), display_(display), job_(std::move(job)) {}

  /// Errors: those of the connection; cancelled when the user left.
  [[nodiscard]] Result<JobState> follow();

 private:
  [[nodiscard]] Result<JobState> to_the_end();
  [[nodiscard]] tl::unexpected<Error> left() const;
  [[nodiscard]] Result<JobState> explained(Result<JobState> end) const;

  DaemonClient& client_;
  Interrupts& interrupts_;
  ProgressDisplay& display_;
  std::string job_;
  bool asked_ = false;
};

/// `error`; when the connection is gone, also that the job is not, and how to follow it again.
[[nodiscard]] Error with_the_way_back(Error error, const DaemonClient& client,
                                      const std::string& job);

}  // namespace warpmind::clients
