#pragma once
/// \file
/// Jobs that the daemon thinks of itself: tasks that were measured with another device, driver or
/// toolkit than there is now, and insights whose evidence contradicts itself.

#include "base/model/insight.h"
#include "base/model/job.h"
#include "daemon/machine_now.h"
#include "knowledge_base/queue_agenda.h"

#include <functional>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {
class KnowledgeBase;
}

namespace warpmind::daemon {

class Scheduler;

struct ProposedJob {
  JobRequest request;
  knowledge_base::JobProposal proposal;
};

/// Of the newest measured job of each task in `recent` (the newest first): those whose device is
/// not `now`'s, else whose driver is not, else whose toolkit is not. The greatest speedups first.
[[nodiscard]] std::vector<ProposedJob> retunes(const std::vector<Job>& recent,
                                               const MachineNow& now);

/// For each contested insight the job of `recent` that could decide: of a task on both sides, else
/// on either. None for an insight whose tasks are not among them.
[[nodiscard]] std::vector<ProposedJob> tie_breaks(const std::vector<Insight>& contested,
                                                  const std::vector<Job>& recent);

/// Threads: one at a time.
class QueueProposals {
 public:
  struct Parts {
    knowledge_base::KnowledgeBase& base;
    Scheduler& scheduler;
    std::function<Result<MachineNow>()> machine;  ///< empty: nothing is measured here
    bool runs = false;  ///< proposed jobs run; false: they wait for a person
  };
  /// References must outlive it.
  explicit QueueProposals(Parts parts) : parts_(std::move(parts)) {}

  /// Proposes what is new, at most 8 jobs; returns how many. Errors: what the base refuses.
  [[nodiscard]] Result<std::size_t> look();

 private:
  Parts parts_;
};

}  // namespace warpmind::daemon
