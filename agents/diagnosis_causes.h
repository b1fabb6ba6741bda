#pragma once
/// \file
/// What each cause costs.

#include "agents/diagnosis_evidence.h"
#include "base/model/bottleneck.h"

#include <vector>

namespace warpmind::agents {

/// What the launch would save at most, cause by cause, in no order; `share` is of the launch's
/// time, `at_stake_ns` is left 0.
[[nodiscard]] std::vector<Cause> causes_of(const LaunchEvidence& launch);

/// The plan's causes, costliest first: what all launches lose to a class together, told of the one
/// that loses most.
[[nodiscard]] std::vector<Cause> causes_of_plan(const std::vector<LaunchEvidence>& launches);

}  // namespace warpmind::agents
