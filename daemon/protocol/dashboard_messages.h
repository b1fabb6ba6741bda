#pragma once
/// \file
/// What the dashboard asks for beyond the methods of every client, as values. Names on the wire are
/// the field names.

#include "base/drawing/roofline.h"
#include "base/model/measurement.h"
#include "daemon/protocol/messages.h"

#include <cstdint>
#include <string>
#include <vector>

namespace warpmind::daemon::protocol {

struct DashboardOpenResult {
  std::string url;
  std::int64_t expires_s = 0;

  static void describe(auto& self, auto& field) {
    field.required("url", self.url,
                   "address on the loopback interface, good for one browser, once");
    field.required("expires_s", self.expires_s, "seconds in which it must be used");
  }
};

struct EpisodeRooflineParams {
  std::string id;

  static void describe(auto& self, auto& field) {
    field.required("id", self.id, "as for `episode.explain`");
  }
};
/// A step that was timed, under the roofline.
struct RooflineMark : drawing::RooflineReach {
  bool accepted = false;
  double time_ns = 0;
  bool operator==(const RooflineMark&) const = default;

  static void describe(auto& self, auto& field) {
    RooflineReach::describe(self, field);
    field.required("accepted", self.accepted);
    field.required("time_ns", self.time_ns);
  }
};
struct EpisodeRooflineResult {
  std::string task;
  std::string device;
  std::string workload;
  Provider provider = Provider::gpu;
  std::string peak;
  double peak_gflops = 0;
  double bandwidth_gb_s = 0;
  std::vector<RooflineMark> steps;

  static void describe(auto& self, auto& field) {
    field.required("task", self.task, "its name");
    field.required("device", self.device, "whose peaks these are");
    field.required("workload", self.workload, "that the steps were timed on");
    field.required("provider", self.provider, "of the times; those of `sim` are predictions");
    field.required(
        "peak", self.peak,
        "whose peak it is: `FP64`, `FP32`, or the tensor cores that the contract allows");
    field.required("peak_gflops", self.peak_gflops, "Gflop/s");
    field.required("bandwidth_gb_s", self.bandwidth_gb_s, "GB/s");
    field.required(
        "steps", self.steps,
        "those that were timed: `step`, `accepted`, `intensity` (flop a byte of the limit; 0 = "
        "it counts no arithmetic), `gflops` (Gflop/s), `time_ns`, `share` (of the limit; 0 = "
        "not known)");
  }
};

// --- Methods

inline constexpr Method<Empty, DashboardOpenResult> kDashboardOpen{
    "dashboard.open",
    "An address that lets one browser in (docs/dashboard.md). Where HTTP is off, opens a free "
    "port of the loopback interface for the page alone, until the daemon ends."};
inline constexpr Method<EpisodeRooflineParams, EpisodeRooflineResult> kEpisodeRoofline{
    "episode.roofline",
    "The timed steps of an episode and the roofline of their device. Error `not_found` when "
    "nothing was timed, or the limit is not known; the message says why."};

[[nodiscard]] std::vector<MethodSpec> dashboard_methods();

}  // namespace warpmind::daemon::protocol
