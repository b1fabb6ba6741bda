#pragma once
/// \file
/// Jobs in the base: the record, and the key that says it is unfinished.

#include "base/model/draft.h"
#include "base/result.h"
#include "knowledge_base/change_set.h"
#include "knowledge_base/records.h"

namespace warpmind::knowledge_base {

/// Accepts `request` as a new queued job.
[[nodiscard]] Result<Job> add_job(ChangeSet& change, const JobRequest& request, UnixMillis now);

/// Replaces what a queue keeps of a job: its terms, and the bookkeeping below. Errors: not_found;
/// conflict when a newer lease than `job.epoch` was given, or when it has ended with an episode.
[[nodiscard]] Result<void> update_job(ChangeSet& change, const Job& job);

/// Keeps the episode so far of an unfinished job, in the place of the last draft, and what the job
/// has cost; the draft goes when the job ends. Errors: not_found; conflict when the job has ended
/// or a newer lease was given.
[[nodiscard]] Result<void> save_draft(ChangeSet& change, const Draft& draft);

/// The stored job of `id`. Errors: not_found.
[[nodiscard]] Result<StoredJob> load_job(const ChangeSet& change, const JobId& id);

/// Writes `stored` and keeps the key of unfinished jobs in step.
[[nodiscard]] Result<void> save_job(ChangeSet& change, const StoredJob& stored);

[[nodiscard]] constexpr bool is_unfinished(JobState state) {
  return state == JobState::queued || state == JobState::running;
}

}  // namespace warpmind::knowledge_base
