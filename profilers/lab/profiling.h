#pragma once
/// \file
/// Stage profile: metrics of each launch, as many tiers as the machine allows.

#include "base/limit.h"
#include "base/model/profile.h"
#include "base/result.h"
#include "profilers/lab/judging.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// Hardware counters asked for (tier T2): accepted together on GH100; refused ones are reported.
[[nodiscard]] const std::vector<std::string>& counter_names();
[[nodiscard]] std::string unit_of_counter(std::string_view name);

/// Tier T0: one entry a launch (tier B: one a kernel in the binary), from the ptxas report.
[[nodiscard]] Profile static_profile(const Task& task, const Kernel& kernel,
                                     const BuildReport& build, const Workload& workload,
                                     const DeviceSpec& device);

/// Metrics of one timed run of the whole plan: `warpmind__time_ns`, `warpmind__limit_time_ns`,
/// `warpmind__headroom_ratio` (time / limit), `warpmind__share_of_limit_pct`,
/// `warpmind__achieved_bytes_per_s`, `warpmind__achieved_flops_per_s`, `warpmind__bandwidth_pct`,
/// `warpmind__flops_pct`. What the limit does not know is left out.
[[nodiscard]] std::vector<Metric> limit_metrics(double time_ns, const Limit& limit);

/// Raises `profile` to T1 by the plan's time on its workload.
void add_timed_metrics(Profile& profile, double time_ns, const Limit& limit);

/// How many of counter_names(), from the first on, a kernel that runs for so long is worth.
[[nodiscard]] std::size_t affordable_counters(double run_ns);

/// Raises `profile` to T2 with a fresh runner. A failure leaves the tier and says why in
/// `profile.note`, as do counters that were left out. Errors: cancelled.
[[nodiscard]] Result<void> add_counters(Judging& judging, const BuiltKernel& candidate,
                                        const Workload& workload, double run_ns, Profile& profile);

/// Adds the lines that warps wait in to a profile with counters. A failure says why in
/// `profile.note`. Errors: cancelled.
[[nodiscard]] Result<void> add_lines(Judging& judging, const BuiltKernel& candidate,
                                     const Workload& workload, Profile& profile);

/// Joins counters to the launches of a profile, in launch order, and derives time shares.
void merge_counters(Profile& profile, const RunnerReport& report);

}  // namespace warpmind::profilers
