#pragma once
/// \file
/// A lane: one job at a time on one device, which several lanes may share.

#include "base/model/job.h"

#include <chrono>
#include <cstdint>
#include <string>

namespace warpmind::daemon {

/// Which jobs a lane may run, by their provider.
struct LaneSkills {
  bool gpu = true;
  bool sim = true;
  bool fixture = true;

  [[nodiscard]] bool take(Provider provider) const {
    switch (provider) {
      case Provider::gpu: return gpu;
      case Provider::sim: return sim;
      case Provider::fixture: break;
    }
    return fixture;
  }
  bool operator==(const LaneSkills&) const = default;
};

struct LaneSpec {
  std::string name = "lane 0";  ///< "gpu 0", "sim"; in the history of jobs
  std::string device = {};      ///< as CUDA_VISIBLE_DEVICES names it; empty = none of its own
  std::string model = {};       ///< "NVIDIA H200"; empty = unknown
  LaneSkills skills = {};
  std::int64_t seat = 0;  ///< which of its device's lanes it is; the first ones fill before others
};

/// What a lane does, for people.
struct LaneView {
  LaneSpec spec;
  JobId job;        ///< that has the lane; empty = none
  double busy = 0;  ///< share of the time since the start in which it ran a job
};

/// "gpu 0 (NVIDIA H200): j-0000000007, busy 83 %".
[[nodiscard]] std::string lane_text(const LaneView& lane);

}  // namespace warpmind::daemon
