#pragma once
/// \file
/// Kernels under the roofline of their device: one drawing for agents, reports and pages.

#include <cstddef>
#include <string>
#include <vector>

namespace warpmind::drawing {

struct RooflinePoint {
  std::string name;
  double intensity = 0;     ///< flop a byte
  double gflops = 0;        ///< reached
  double given_gflops = 0;  ///< by the given kernel of the same task, hollow and joined; 0 = none
  std::size_t step = 0;     ///< position in its episode
};
struct RooflinePlot {
  std::string title;
  double peak_gflops = 0;
  double bandwidth_gb_s = 0;
  std::vector<RooflinePoint> points;
  std::string device = {};
};

/// SVG 1.1 without scripts and links; text is escaped. A point with its given kernel has its name
/// alone beside it, for there are many of them; others say what they reach.
[[nodiscard]] std::string draw(const RooflinePlot& plot);

}  // namespace warpmind::drawing
