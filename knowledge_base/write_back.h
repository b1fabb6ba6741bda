#pragma once
/// \file
/// A finished episode becomes one change: its records, what it teaches, and the end of its job.

#include "base/result.h"
#include "knowledge_base/change_set.h"
#include "knowledge_base/episode_projection.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace warpmind::knowledge_base {

/// All of an episode that depends on nothing stored; made before the writer's turn.
struct PreparedEpisode {
  std::int64_t number = 0;
  std::string record;
  std::vector<std::string> steps;
  std::map<std::size_t, std::string> measurements;  ///< by position of the step
  std::map<std::size_t, std::string> transcripts;   ///< the same; after the last: the critique
  std::map<KernelId, std::string> kernels;
  std::string task;
  EpisodeFacts facts;

  [[nodiscard]] std::int64_t bytes() const;
};

/// Errors: invalid_argument for an id of another shape, more steps than fit, or a number that is
/// not finite.
[[nodiscard]] Result<PreparedEpisode> prepare(const Episode& episode, const Job& job);

/// Errors: conflict if the episode, or another one of the job, is stored; not_found without the
/// job; invalid_argument when `job` would not end.
[[nodiscard]] Result<WriteBackReceipt> write_back(ChangeSet& change, PreparedEpisode prepared,
                                                  const Episode& episode, const Job& job);

}  // namespace warpmind::knowledge_base
