#pragma once
/// \file
/// Parts of a job's report, each a function of the episode. Each part is empty when the episode
/// has nothing to say about it, and else ends with a line break.

#include "base/model/episode.h"
#include "clients/cli/report/job_report.h"

#include <string>

namespace warpmind::clients {

/// Null when the episode holds no steps.
[[nodiscard]] const Step* baseline_of(const Episode& episode);
/// Null when no candidate was better than the baseline.
[[nodiscard]] const Step* best_of(const Episode& episode);

/// "99 % interval 2.25× … 2.38×", or "low confidence".
[[nodiscard]] std::string interval_of(const Comparison& comparison);

/// Device, driver, toolkit, and every mark that weakens the evidence (recorded, no sandbox).
[[nodiscard]] std::string evidence_section(const Episode& episode, std::size_t columns);
[[nodiscard]] std::string times_section(const Episode& episode, const ReportOptions& options);
/// Bottleneck with its deciding metrics, then what was changed.
[[nodiscard]] std::string why_section(const Episode& episode, const ReportOptions& options);
[[nodiscard]] std::string tried_section(const Episode& episode, const ReportOptions& options);
/// Launches of baseline and best beside each other.
[[nodiscard]] std::string launches_section(const Episode& episode, const ReportOptions& options);
/// What the simulator's checks saw in the best kernel, else in the given one.
[[nodiscard]] std::string findings_section(const Episode& episode, const ReportOptions& options);
/// Registers, spills, shared memory, occupancy: what could be said without running the kernel.
[[nodiscard]] std::string static_section(const Episode& episode, const ReportOptions& options);
/// For a baseline that failed: compiler text, or the element that was wrong.
[[nodiscard]] std::string failure_section(const Episode& episode, const ReportOptions& options);
/// What the memory gave to start from.
[[nodiscard]] std::string recalled_section(const Episode& episode, const ReportOptions& options);

}  // namespace warpmind::clients
