#pragma once
/// \file
/// What the dashboard asks for beyond the methods of every client, as values. Names on the wire are
/// the field names.

#include "base/model/measurement.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

struct DashboardOpenResult {
  std::string url;             ///< lets one browser in, once
  std::int64_t expires_s = 0;  ///< seconds in which it must be used
};

struct EpisodeRooflineParams {
  std::string id;  ///< as for episode.explain
};
/// A step that was timed, under the roofline.
struct RooflineMark {
  std::int64_t step = 0;
  bool accepted = false;
  double intensity = 0;  ///< flop a byte, by the task's cost model; 0 = it counts no arithmetic
  double gflops = 0;     ///< reached
  double time_ns = 0;
  double share = 0;  ///< least time that the device allows / time_ns
  bool operator==(const RooflineMark&) const = default;
};
struct EpisodeRooflineResult {
  std::string task;
  std::string device;
  std::string workload;
  Provider provider = Provider::gpu;  ///< of the times; those of `sim` are predictions
  std::string peak;                   ///< whose peak it is: "FP32", "FP16 tensor cores"
  double peak_gflops = 0;
  double bandwidth_gb_s = 0;
  std::vector<RooflineMark> steps;
};

}  // namespace warpmind::daemon::protocol
