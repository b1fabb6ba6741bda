#pragma once
/// \file
/// An episode whose candidates come from outside: an editor's or an agent's own model pulls the
/// brief, writes kernels, submits them, and gets verdicts and gradients back.

#include "agents/episode_session.h"
#include "base/launch_profile.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace warpmind::agents {

/// What somebody outside needs to write the next candidate.
struct Brief {
  JobId job;
  EpisodeId episode;
  std::int64_t step = 0;  ///< whose kernel is the one to edit: the best so far
  Kernel kernel;
  double best_ratio = 1;  ///< time of the given kernel / time of that one
  Bottleneck bottleneck;
  std::vector<Metric> metrics;  ///< of the launch with the largest share of time
  Advice advice;
  DeviceSpec device;
  Gradient last;                       ///< of the newest step; without text when there is none
  std::string contract;                ///< tolerance, accumulation, determinism, in words
  std::vector<std::string> forbidden;  ///< what is refused without being run
  std::int64_t evaluations_left = 0;
  std::vector<LaunchRow> launches = {};  ///< of that kernel, in launch order
};

/// A candidate from outside: what its author changed of the kernel that it edits.
struct Submission {
  std::optional<std::string> source = {};
  std::optional<LaunchPlan> plan = {};
  std::optional<std::vector<std::string>> build_flags = {};
  std::int64_t edits = -1;  ///< step whose kernel was edited; -1 = the best so far
  std::string technique;    ///< a name of the base, or "free_form"
  std::string parameters;
  std::string rationale;
  double predicted_gain = 1;
  std::string author;  ///< "claude-code", "alice"; for provenance
  std::string model;   ///< language model, empty without one
};

struct Feedback {
  std::int64_t step = 0;  ///< as which it was recorded
  Step judged;            ///< verdict, gradient, promotion
  bool accepted = false;  ///< it is the best now
  bool known = false;     ///< the same kernel was judged before: `judged` is that step
};

/// Threads: any; submissions are judged one after the other. Durable: a submission is answered
/// after its step is stored.
class ExternalEpisode {
 public:
  /// `parts.proposer` is not asked to write; its techniques are ranked in the advice.
  /// `stop` ends what is being judged; close() then takes what there is.
  ExternalEpisode(EpisodeParts parts, knowledge_base::KnowledgeStore& store, Job job,
                  std::stop_token stop);

  /// Judges the given kernel, or takes up the stored draft of an episode that a daemon died under.
  /// False: it cannot be improved (see episode()); close it.
  [[nodiscard]] Result<bool> open();
  [[nodiscard]] Result<Brief> brief();
  /// Errors: invalid_argument for a submission that cannot be a candidate; unavailable when the
  /// budget is spent; conflict once closed; what the lab refuses.
  [[nodiscard]] Result<Feedback> submit(const Submission& submission);
  /// Concludes, writes back, ends the job. Once; later calls: conflict.
  [[nodiscard]] Result<Episode> close(const std::string& why);

 private:
  [[nodiscard]] Result<Candidate> candidate_of(const Submission& submission,
                                               std::size_t edited) const;
  [[nodiscard]] Result<Feedback> judge(const Submission& submission);
  [[nodiscard]] Result<void> keep();

  EpisodeParts parts_;
  knowledge_base::KnowledgeStore& store_;
  Job job_;
  RunControl control_;
  std::mutex mutex_;
  EpisodeSession session_;
  bool is_open_ = false;
  bool is_closed_ = false;
};

}  // namespace warpmind::agents
