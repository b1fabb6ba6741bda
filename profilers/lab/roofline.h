#pragma once
/// \file
/// The physics of a task on a device: what time cannot be beaten, and how far a kernel is from it.

#include "base/model/device.h"
#include "base/model/profile.h"
#include "base/model/task.h"
#include "base/result.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind::profilers {

struct Roofline {
  double bytes = 0;  ///< compulsory traffic of one run
  double flops = 0;
  double memory_ns = 0;   ///< bytes at the datasheet's bandwidth
  double compute_ns = 0;  ///< flops at the peak that the contract lets a kernel use
  double floor_ns = 0;    ///< no honest run is faster; 0 = nothing can be said

  [[nodiscard]] double time_ns() const { return memory_ns > compute_ns ? memory_ns : compute_ns; }
};

/// The floor leaves out the memory side when the data may stay in L2 (less than 1.5 times its
/// size), and takes the tensor peak for every contraction: splitting f32 into 16-bit parts is
/// allowed where the accuracy holds. Errors: invalid_argument in the cost model's expressions.
[[nodiscard]] Result<Roofline> make_roofline(const Task& task, const Workload& workload,
                                             const DeviceSpec& device);

/// Below 0.9 of the floor a time is impossible; returns the sentence, else nullopt. Also for a time
/// that is not finite or not above zero.
[[nodiscard]] std::optional<std::string> faster_than_light(double time_ns,
                                                           const Roofline& roofline);

/// Tier T1 metrics of one timed run: `warpmind__time_ns`, `warpmind__roofline_time_ns`,
/// `warpmind__headroom_ratio`, `warpmind__achieved_bytes_per_s`, `warpmind__achieved_flops_per_s`,
/// `warpmind__bandwidth_pct`, `warpmind__flops_pct`. They describe the whole plan.
[[nodiscard]] std::vector<Metric> roofline_metrics(double time_ns, const Roofline& roofline);

}  // namespace warpmind::profilers
