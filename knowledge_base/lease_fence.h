#pragma once
/// \file
/// Each lease of a job has an epoch. What bears an older one than the newest is refused, whoever
/// brings it: a result is applied once.

#include "base/model/draft.h"
#include "base/model/job.h"
#include "base/result.h"

namespace warpmind::knowledge_base {

/// Errors: conflict when `job` bears an older lease than `stored`.
[[nodiscard]] Result<void> require_newest_lease(const Job& stored, const Job& job);

/// For a change of a job: conflict when it has ended with an episode. That stays what it is,
/// whoever was just about to record something else.
[[nodiscard]] Result<void> require_no_result(const Job& job, bool has_episode);

/// For a result: also conflict when the job has ended, or when its lease was given back and no
/// newer one was given yet. A job that never had a lease needs none.
[[nodiscard]] Result<void> require_lease(const Job& stored, const Job& job);

/// For the draft of an episode: conflict when the job has ended, or when the lease under which it
/// was made is not the newest.
[[nodiscard]] Result<void> require_draft_lease(const Job& stored, const Draft& draft);

/// State, attempts, error, epoch, held, dead, history and spent of `job` go into `stored`.
void take_bookkeeping(Job& stored, const Job& job);

}  // namespace warpmind::knowledge_base
