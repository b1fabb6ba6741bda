#pragma once
/// \file
/// Runs one accepted job to its end: episode, write-back, job state. What the scheduler calls.

#include "agents/gradient/critic.h"
#include "agents/insight_advice.h"
#include "agents/proposer.h"
#include "base/clock.h"
#include "base/job_control.h"
#include "base/model/draft.h"
#include "base/model/job.h"
#include "base/result.h"
#include "config/device_table.h"
#include "knowledge_base/knowledge_store.h"
#include "profilers/kernel_lab.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace warpmind::agents {

/// Gives the lab for a job's provider; labs outlive the service's calls.
/// Errors: invalid_argument for a provider that cannot be had, with the way out.
using LabSource = std::function<Result<std::shared_ptr<profilers::KernelLab>>(const JobRequest&)>;

/// Who writes in one episode, and who criticises it (null: the built-in critic).
struct Writers {
  std::shared_ptr<void> parts = {};  ///< that the others refer to; goes last
  std::unique_ptr<Proposer> proposer = {};
  std::unique_ptr<Critic> critic = {};
};
/// Errors: invalid_argument for a proposer that there is not, or that its settings do not allow.
using WriterSource = std::function<Result<Writers>(const JobRequest&)>;

/// "builtin" and "replay".
[[nodiscard]] Result<Writers> make_writers(const JobRequest& request);

/// The same with what only the loop of an episode is told.
struct RunControl : JobControl {
  /// Keeps the episode so far (episode and turns are filled), called after each decision that cost
  /// something; may be empty. An error ends the episode with it.
  std::function<Result<void>(Draft)> keep = {};
  const Draft* past = nullptr;  ///< of an earlier start, to go on from; null = from the beginning
  Spent before = {};            ///< cost of earlier starts that counts beside the steps of `past`
};

/// Does:      the episode of one job, its single commit, and the job's final state in the store.
/// Does not:  queue, retry, or choose the lane.
/// Threads:   run_job() may be called from one thread per lab at a time.
class EpisodeService {
 public:
  /// The references must outlive the service.
  EpisodeService(knowledge_base::KnowledgeStore& store, const config::DeviceTable& devices,
                 LabSource labs, const Clock& clock, MemoryUse memory = {},
                 WriterSource writers = make_writers);

  /// Runs `job` (state running). On success the store holds the job as done. After a cancel it
  /// holds what was measured so far, state cancelled. When the work itself could not be done, the
  /// store holds state failed with the sentence, and the result is a value all the same.
  /// While it runs, each judged step is durable with all before it: a later start of the job goes
  /// on from there (docs/queues.md, section 5). Errors: cancelled when parked (the store holds the
  /// steps so far); whatever the store refuses.
  [[nodiscard]] Result<void> run_job(Job job, const JobControl& control);

 private:
  struct Start;
  [[nodiscard]] Result<Episode> run_episode(Start& start, RunControl control);
  [[nodiscard]] Result<std::optional<Draft>> earlier_draft(const Job& job) const;
  static void take_up(Start& start, RunControl& control, const std::string& obstacle);
  [[nodiscard]] Result<void> keep(Start& start, Draft draft);

  knowledge_base::KnowledgeStore& store_;
  const config::DeviceTable& devices_;
  LabSource labs_;
  const Clock& clock_;
  MemoryUse memory_;
  WriterSource writers_;
};

}  // namespace warpmind::agents
