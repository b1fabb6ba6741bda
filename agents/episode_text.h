#pragma once
/// \file
/// Opening, closing and wording of an episode: pure functions over its values.

#include "base/model/advice.h"
#include "base/model/episode.h"
#include "base/model/job.h"

#include <string>

namespace warpmind::agents {

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
