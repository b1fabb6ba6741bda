#pragma once
/// \file
/// Kernels under the roofline of their device: one drawing for agents, reports and pages.

#include <cstddef>
#include <string>
#include <vector>

namespace warpmind::drawing {

/// What a kernel reaches.
struct RooflineReach {
  double intensity = 0;
  double gflops = 0;
  std::size_t step = 0;  ///< position in its episode
  double share = 0;
  bool operator==(const RooflineReach&) const = default;

  static void describe(auto& self, auto& field) {
    field.required("step", self.step);
    field.required("intensity", self.intensity,
                   "flop a byte, by the task's cost model; 0 = it counts no arithmetic");
    field.required("gflops", self.gflops, "reached");
    field.required("share", self.share,
                   "least time that the device allows / its time; 0 = unknown");
  }
};
/// Not drawn without an intensity.
struct RooflinePoint : RooflineReach {
  std::string name;
  double given_gflops = 0;  ///< by the given kernel of the same task, hollow and joined; 0 = none
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
