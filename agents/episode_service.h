#pragma once
/// \file
/// Runs one accepted job to its end: episode, write-back, job state. What the scheduler calls.

#include "agents/episode.h"

#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace warpmind::agents::builtin {
class SkillLibrary;
}

namespace warpmind::agents {

/// Who writes in one episode, and who criticises it (null: the built-in critic).
struct Writers {
  std::shared_ptr<void> parts = {};  ///< that the others refer to; goes last
  std::unique_ptr<Proposer> proposer = {};
  std::unique_ptr<Critic> critic = {};
};
/// Errors: invalid_argument for a proposer that there is not, or that its settings do not allow.
using WriterSource = std::function<Result<Writers>(const JobRequest&)>;

/// "builtin", with the shipped skills, and "replay".
[[nodiscard]] Result<Writers> make_writers(const JobRequest& request);
/// The same with the skills of `library`.
[[nodiscard]] Result<Writers> make_writers_with(const builtin::SkillLibrary& library,
                                                const JobRequest& request);

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
