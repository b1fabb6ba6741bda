#pragma once
/// \file
/// Launches of one plan or of two beside each other, one compact row a launch, for people.

#include "base/launch_profile.h"
#include "clients/cli/report/style.h"
#include "daemon/protocol/analysis_messages.h"

#include <span>
#include <string>

namespace warpmind::clients {

/// Names of the two plans, "baseline" and "step 3".
struct PlanNames {
  std::string before;
  std::string after;
};

/// Time, share of it, bytes, flops, rates, the limiting pipe and the top stall of each launch.
/// Empty when there is none.
[[nodiscard]] std::string launch_table(std::span<const LaunchChange> changes,
                                       const PlanNames& names, std::size_t columns);

/// "caches cold: each launch finds its data in DRAM"; empty where it is not known.
[[nodiscard]] std::string cache_text(const Profile& profile);

/// Of `why EPISODE STEP --profile`; `all_metrics`: with every metric of each launch that is not 0.
[[nodiscard]] std::string render_profile(const daemon::protocol::EpisodeProfileResult& result,
                                         bool all_metrics, const Style& style);

}  // namespace warpmind::clients
