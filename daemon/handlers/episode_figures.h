#pragma once
/// \file
/// What lists and reports say of an episode beside its numbers.

#include "base/model/episode.h"
#include "daemon/protocol/job_outcome.h"

#include <string>
#include <vector>

namespace warpmind::daemon {

/// The confirmed ratio of the best kernel after each candidate, as the episode found them.
[[nodiscard]] std::vector<double> curve_of(const Episode& episode);
/// The techniques from the given kernel to the best one, in their order.
[[nodiscard]] std::vector<std::string> way_to_best(const Episode& episode);
/// What limits the given kernel; null when no step edited it.
[[nodiscard]] const Bottleneck* state_of_given(const Episode& episode);
/// Its class; empty when no candidate was made.
[[nodiscard]] std::string bottleneck_of_given(const Episode& episode);

/// Of a job without an episode, no more than its name and state.
[[nodiscard]] protocol::JobOutcome outcome_of(const Job& job);

}  // namespace warpmind::daemon
