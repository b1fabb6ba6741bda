#pragma once
/// \file
/// What makes a timing session void, and which times no device can reach. The rule is in
/// docs/measuring.md; nothing that ends here is ever stored.

#include "profilers/job/runner_job.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace warpmind::profilers {

/// A sentence if the sensors say that the times of a session mean nothing, though nobody is to
/// blame: reasons to throttle; a block whose SM clock is off by more than 2 % from the session's
/// median, or below 75 % of the device's best; an incumbent that is more than 2 % away from its
/// time alone; a program whose events miss work. Where the power limit holds the clock down, the
/// clock is part of how fast a kernel is: blocks may then differ by 10 %, however low. What was not
/// sensed voids nothing.
[[nodiscard]] std::optional<std::string> find_void(const RunnerReport& report);

/// Parent of a process, or nullopt when there is no such process.
using ParentOf = std::function<std::optional<std::int64_t>(std::int64_t pid)>;

/// A sentence if one of the processes `on_device` is no descendant of `own`. Processes that nobody
/// knows are of another pid namespace: as long as none of ours is among them, nothing can be said.
[[nodiscard]] std::optional<std::string> find_foreign(const std::vector<std::int64_t>& on_device,
                                                      std::int64_t own, const ParentOf& parent_of);

/// The processes on the device that runners use. Asked of NVML by the lab, not by a runner: in its
/// sandbox a runner sees nobody else's.
using DeviceProcesses = std::function<std::vector<std::int64_t>()>;

/// find_foreign() for this process, by /proc.
[[nodiscard]] std::optional<std::string> find_foreign(const DeviceProcesses& processes);

/// NVML's answer for the device with this uuid; always empty where there is no NVML.
[[nodiscard]] DeviceProcesses processes_on(const std::string& uuid);

/// A sentence if the time of a block is not a positive number, or if the median of the blocks lies
/// below 0.9 of `floor_ns` (base/limit.h, physical_floor_ns()).
[[nodiscard]] std::optional<std::string> find_impossible(const std::vector<double>& blocks_ns,
                                                         double floor_ns);

/// Blocks of one side of all quads, in order.
[[nodiscard]] std::vector<double> candidate_blocks(const std::vector<QuadSample>& quads);
[[nodiscard]] std::vector<double> incumbent_blocks(const std::vector<QuadSample>& quads);

/// Durations of the kernels of one run by the profiler, against the run's time by events. A
/// sentence if the profiler saw more than half as much again: work that the events do not see.
[[nodiscard]] std::optional<std::string> find_hidden_work(const std::vector<KernelProfile>& kernels,
                                                          double event_ns);

}  // namespace warpmind::profilers
