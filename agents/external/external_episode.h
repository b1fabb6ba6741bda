#pragma once
/// \file
/// An episode whose candidates come from outside: an editor's or an agent's own model pulls the
/// brief, writes kernels, submits them, and gets verdicts and gradients back.

#include "agents/episode_session.h"
#include "base/model/external_episode.h"

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

namespace warpmind::agents {

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
  /// Without its lease, which is of the caller.
  [[nodiscard]] Result<EpisodeBrief> brief();
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
