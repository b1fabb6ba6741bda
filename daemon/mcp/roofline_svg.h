#pragma once
/// \file
/// A picture: the given and the best kernel of a job under the roofline of their device.

#include "base/model/job.h"
#include "base/result.h"
#include "daemon/protocol/document.h"

#include <cstddef>
#include <string>
#include <vector>

namespace warpmind::daemon::mcp {

struct RooflinePoint {
  std::string name;
  double intensity = 0;  ///< flop a byte
  double gflops = 0;     ///< reached
  std::size_t step = 0;  ///< position in the episode
};
struct RooflinePlot {
  std::string title;
  double peak_gflops = 0;
  double bandwidth_gb_s = 0;
  std::vector<RooflinePoint> points;
  std::string device = {};
};

/// SVG 1.1 without scripts and links; text is escaped.
[[nodiscard]] std::string draw(const RooflinePlot& plot);

enum class RooflineSteps { given_and_best, all };
/// Errors: not_found when nothing in it was timed, the task has no cost model, or the device table
/// does not know the device.
[[nodiscard]] Result<RooflinePlot> roofline_plot(const Job& job, RooflineSteps steps);

/// Of a job as `task.result` gives it. Errors: not_found when nothing in it was timed, or the task
/// has no cost model.
[[nodiscard]] Result<std::string> roofline_of(const nlohmann::json& job);

}  // namespace warpmind::daemon::mcp
