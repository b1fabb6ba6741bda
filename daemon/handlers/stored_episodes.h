#pragma once
/// \file
/// Episodes out of the base, for the methods that explain and export them.

#include "base/model/job.h"
#include "base/result.h"
#include "knowledge_base/knowledge_store.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace warpmind::daemon {

/// The job of an episode: "e-0000000007", "j-0000000007", "7" or "last" (the newest whose episode
/// has ended). The episode of a job that goes on holds the steps so far. Errors: invalid_argument,
/// not_found; conflict when the job has judged nothing.
[[nodiscard]] Result<Job> job_with_episode(const knowledge_base::KnowledgeStore& store,
                                           const std::string& id);

/// `number` is that of job and episode.
using VisitJob = std::function<Result<void>(std::int64_t number, Job job)>;
/// Every job that has an episode, oldest first; ends with the first error of `visit`.
[[nodiscard]] Result<void> visit_episodes(const knowledge_base::KnowledgeStore& store,
                                          const VisitJob& visit);

/// What was said to language models in the step at `position`, and what they answered.
[[nodiscard]] Result<std::vector<Exchange>> exchanges_of(
    const knowledge_base::KnowledgeStore& store, const Episode& episode, std::size_t position);

}  // namespace warpmind::daemon
