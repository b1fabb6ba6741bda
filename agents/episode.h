#pragma once
/// \file
/// The values of an episode under way: what it works with, what it may still spend, what is known
/// of its kernels; and how it is opened, concluded and worded.

#include "agents/gradient/critic.h"
#include "agents/insight_advice.h"
#include "agents/proposer.h"
#include "base/clock.h"
#include "base/job_control.h"
#include "base/model/advice.h"
#include "base/model/draft.h"
#include "base/model/episode.h"
#include "base/model/job.h"
#include "base/model/verdict.h"
#include "base/result.h"
#include "config/device_table.h"
#include "knowledge_base/knowledge_store.h"
#include "profilers/kernel_lab.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace warpmind::agents {

/// Gives the lab for a job's provider; labs outlive the episodes.
/// Errors: invalid_argument for a provider that cannot be had, with the way out.
using LabSource = std::function<Result<std::shared_ptr<profilers::KernelLab>>(const JobRequest&)>;

/// JobControl with what only the loop of an episode is told.
struct RunControl : JobControl {
  /// Keeps the episode so far (episode and turns are filled), called after each decision that cost
  /// something; may be empty. An error ends the episode with it.
  std::function<Result<void>(Draft)> keep = {};
  const Draft* past = nullptr;  ///< of an earlier start, to go on from; null = from the beginning
  Spent before = {};            ///< cost of earlier starts that counts beside the steps of `past`
};

/// What an episode works with. The references must outlive it.
struct EpisodeParts {
  profilers::KernelLab& lab;
  const knowledge_base::KnowledgeStore& store;  ///< read only: the write-back comes afterwards
  Proposer& proposer;
  const config::DeviceTable& devices;
  const Clock& clock;
  MemoryUse memory = {};
  Critic* critic = nullptr;  ///< of the whole episode; null = the built-in one
};

/// What is known of one right kernel.
struct NodeKnowledge {
  std::size_t step = 0;  ///< that judged it
  Bottleneck bottleneck;
  Advice advice;             ///< for that bottleneck
  std::size_t recalled = 0;  ///< steps of the episode when it was recalled
};

/// What came of one candidate.
struct JudgedCandidate {
  std::optional<std::size_t> step;  ///< absent: not judged (a known kernel, or stopped meanwhile)
  /// Position of the step that judged the same text or machine code; nothing was spent.
  std::optional<std::size_t> known;
  bool accepted = false;  ///< it became the incumbent
  [[nodiscard]] bool was_judged() const { return step.has_value(); }
};

/// Time that a verdict kept the device busy, in seconds: the stages that run on it. 0 for
/// predictions.
[[nodiscard]] double device_seconds(const Verdict& verdict, Provider provider);

/// What an episode may still spend. Asked before anything is spent, with what is under way counted
/// as spent.
class EpisodeBudget {
 public:
  /// `clock` must outlive the object; the time runs from now.
  EpisodeBudget(const Budget& budget, const Clock& clock)
      : budget_(budget), clock_(clock), start_(clock.monotonic()) {}

  /// One candidate was judged; the baseline counts for its device time only.
  void judged_baseline(double device_seconds) { device_seconds_ += device_seconds; }
  void judged(double device_seconds);
  /// What earlier starts of the job have spent of it, beside what judged() and paid() are told.
  void spent_before(const Spent& cost) { before_ = cost; }
  /// The episode stood still for so long: others had the machine.
  void rested(std::chrono::steady_clock::duration time) { start_ += time; }
  void paid(const ModelSpending& spending) { spending_ += spending; }

  /// Why one candidate more, beside `under_way` ones, may not be started: a sentence. Empty = it
  /// may. Device time is reserved by what candidates of this episode took so far.
  [[nodiscard]] std::string refusal(std::int64_t under_way = 0) const;

  [[nodiscard]] std::int64_t evaluations_left() const {
    return budget_.evaluations - before_.evaluations - evaluations_;
  }
  [[nodiscard]] const ModelSpending& spending() const { return spending_; }

 private:
  [[nodiscard]] double expected_device_seconds() const;

  Budget budget_;
  const Clock& clock_;
  std::chrono::steady_clock::time_point start_;
  std::int64_t evaluations_ = 0;
  double device_seconds_ = 0;
  double candidate_seconds_ = 0;
  ModelSpending spending_;
  Spent before_;
};

/// An episode without steps, named after its job: j-0000000007 → e-0000000007.
[[nodiscard]] Episode start_episode(const Job& job, Provider provider, UnixMillis now);

/// An episode that ended before its baseline because the machine lacks something: outcome blocked.
[[nodiscard]] Episode blocked_episode(const Job& job, std::string reason, UnixMillis now);

/// Fills outcome and summary from the steps. `advice` is the last recalled, `stopped` whether
/// somebody asked the episode to end early.
void conclude(Episode& episode, const Advice& advice, bool stopped);

/// The candidate that re-measures what the base remembers for this task.
[[nodiscard]] Candidate remembered_candidate(const RememberedKernel& remembered, KernelId parent);

/// "the best kernel takes 1.03 times the limit".
[[nodiscard]] std::string limit_text(double headroom);
[[nodiscard]] std::string label(const Candidate& candidate);  ///< "block_size block=64x1x1"
/// What the lab does in `stage`, for a person: "building", "measuring"; a simulator predicts.
[[nodiscard]] std::string doing(Stage stage, Provider provider);
[[nodiscard]] std::string describe_memory(const Advice& advice);  ///< "memory: nothing about …"

}  // namespace warpmind::agents
