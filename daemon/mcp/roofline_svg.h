#pragma once
/// \file
/// A picture: kernels of a job under the roofline of their device.

#include "base/drawing/roofline.h"
#include "base/model/job.h"
#include "base/result.h"
#include "config/device_table.h"
#include "daemon/protocol/document.h"

#include <string>

namespace warpmind::daemon::mcp {

using drawing::draw;
using drawing::RooflinePlot;
using drawing::RooflinePoint;

enum class RooflineSteps { given_and_best, all };
/// Under the limit that the verdicts carry (base/limit.h). The points are named "given" and "best";
/// those of a task that counts bytes alone have a share of the limit and no intensity. Errors:
/// not_found when nothing in the job was timed, when its limit is not known, with the reason, or
/// when the device table does not know its device.
[[nodiscard]] Result<RooflinePlot> roofline_plot(const Job& job, RooflineSteps wanted,
                                                 const config::DeviceTable& table);

/// The plot of given and best as SVG, of a job as `task.result` gives it. Errors: also not_found
/// for a task that counts no arithmetic, and what is wrong in the document.
[[nodiscard]] Result<std::string> roofline_of(const nlohmann::json& job);

}  // namespace warpmind::daemon::mcp
