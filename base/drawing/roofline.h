#pragma once
/// \file
/// Kernels under the roofline of their device: one drawing for agents, reports and pages.

#include <cstddef>
#include <string>
#include <vector>

namespace warpmind::drawing {

struct RooflinePoint {
  std::string name;
  double intensity = 0;     ///< flop a byte; 0 = its task counts none, and it is not drawn
  double gflops = 0;        ///< reached
  double given_gflops = 0;  ///< by the given kernel of the same task, hollow and joined; 0 = none
  std::size_t step = 0;     ///< position in its episode
  double share = 0;         ///< of the limit; 0 = not known
};
struct RooflinePlot {
  std::string title;
  double peak_gflops = 0;
  double bandwidth_gb_s = 0;
  std::vector<RooflinePoint> points;
  std::string device = {};
  std::string peak = {};        ///< whose peak it is: "FP32"
  double limit_ns = 0;          ///< of the task on the device; 0 = the points are of several
  std::string limited_by = {};  ///< "memory bandwidth"
};

/// SVG 1.1 without scripts and links; text is escaped. A point with its given kernel has its name
/// alone beside it, for there are many of them; others say what they reach. Some point must have an
/// intensity.
[[nodiscard]] std::string draw(const RooflinePlot& plot);

}  // namespace warpmind::drawing
