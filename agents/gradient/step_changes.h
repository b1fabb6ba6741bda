#pragma once
/// \file
/// What moved between the kernel that was edited and the candidate.

#include "base/model/episode.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::agents {

/// ln(gain) over the edited kernel as the lab compared them; nullopt when nothing was timed.
[[nodiscard]] std::optional<double> measured_log_gain(const Verdict& verdict);

/// Metrics of main_pair() (base/launch_profile.h) that moved by 5 % or more, the largest change
/// first, at most 8. Empty when one side has no profile, or no launches belong together.
[[nodiscard]] std::vector<MetricChange> metric_changes(const Verdict& before, const Verdict& after);

/// The deciding metrics of `bottleneck` as they are in the launch of `after` that is paired with
/// the one they were found in; absent ones are left out.
[[nodiscard]] std::vector<MetricChange> decider_changes(const Bottleneck& bottleneck,
                                                        const Verdict& before, const Verdict& after,
                                                        const std::optional<Bottleneck>& now);

}  // namespace warpmind::agents
