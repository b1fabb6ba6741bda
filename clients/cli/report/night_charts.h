#pragma once
/// \file
/// The pictures of a night, as SVG for a page: no colours of their own where the page has a style.

#include "daemon/protocol/queue_messages.h"

#include <string>
#include <vector>

namespace warpmind::clients {

/// The best ratio after each candidate, on a logarithmic axis from 1 to `best`. Empty without one.
[[nodiscard]] std::string curve_svg(const std::vector<double>& curve, double best);

/// The geometric mean of the best ratios of all compared jobs, after each candidate of the night in
/// the order of the jobs. Empty when nothing was found.
[[nodiscard]] std::string night_curve_svg(
    const std::vector<daemon::protocol::QueueReportJob>& jobs);

/// Predicted against found ratios, with the predicted intervals. Empty without one.
[[nodiscard]] std::string calibration_svg(
    const std::vector<daemon::protocol::QueueReportJob>& jobs);

/// One picture a roofline (device, peak): each job's given kernel, hollow, and its best one, with
/// the number of the job in `jobs`, from 1.
[[nodiscard]] std::vector<std::string> roofline_svgs(
    const std::vector<daemon::protocol::QueueReportJob>& jobs);

}  // namespace warpmind::clients
