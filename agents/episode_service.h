#pragma once
/// \file
/// Runs one accepted job to its end: episode, write-back, job state. What the scheduler calls.

#include "agents/gradient/critic.h"
#include "agents/insight_advice.h"
#include "agents/proposer.h"
#include "base/clock.h"
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
#include <stop_token>
#include <string>

namespace warpmind::agents {

/// One line of news about a running episode.
struct EpisodeProgress {
  std::int64_t step = 0;       ///< candidates judged so far; the baseline is not counted
  std::int64_t steps = 0;      ///< budget
  double best_ratio = 1;       ///< baseline time / best time, product of confirmed ratios so far
  std::string line;            ///< for a person
  std::int64_t candidate = 0;  ///< that is worked at, from 1; 0 = the given kernel
  std::string technique = {};  ///< of that candidate
  std::string stage = {};      ///< what is being done to it now: "building"; empty = nothing
  bool milestone = false;      ///< worth a line in a log: a kernel was judged, memory was asked
};
using ProgressFunction = std::function<void(const EpisodeProgress&)>;

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

/// What a caller passes along with a job.
struct RunControl {
  ProgressFunction progress;      ///< called on the running thread; may be empty
  std::stop_token stop;           ///< stops at the next stage
  std::function<bool()> parking;  ///< asked once after a stop: true = leave the job as it is, it
                                  ///< will be run again; false or empty = it was cancelled
  std::function<void()> between_steps = {};  ///< called when nothing is under way; the time that it
                                             ///< takes is nobody's; may be empty
  /// Keeps the episode so far (episode and turns are filled), called after each decision that cost
  /// something; may be empty. An error ends the episode with it.
  std::function<Result<void>(Draft)> keep = {};
  bool may_start_again = false;  ///< a start that the machine failed will be repeated
  const Draft* past = nullptr;   ///< of an earlier start, to go on from; null = from the beginning
  Spent before = {};             ///< cost of earlier starts that counts beside the steps of `past`
};

/// Does:      the episode of one job, its single commit, and the job's final state in the store.
/// Does not:  queue, retry, or choose the lane.
/// Threads:   run() may be called from one thread per lab at a time.
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
  [[nodiscard]] Result<void> run(Job job, const RunControl& control);

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
