#include "profilers/lab/roofline.h"

#include "base/arithmetic_peak.h"
#include "base/expression.h"

#include <algorithm>
#include <cmath>

namespace warpmind::profilers {
namespace {

constexpr double kFloorShare = 0.9;
constexpr double kL2Factor = 1.5;

Result<double> cost(const std::string& expression, const Workload& workload) {
  if (expression.empty()) return 0.0;
  WARPMIND_TRY(const auto value, evaluate(expression, workload.sizes));
  return std::max(0.0, static_cast<double>(value));
}

/// The highest rate that any correct kernel could reach.
double generous_tflops(const Task& task, const DeviceSpec& device) {
  if (task.contract.tolerance == ToleranceClass::contraction) {
    return std::max({device.fp16_tensor_tflops, device.fp32_tflops, device.fp64_tflops});
  }
  // Packed 16-bit arithmetic doubles the rate.
  return 2 * std::max(device.fp32_tflops, device.fp64_tflops);
}

double nanoseconds(double work, double per_second) {
  return per_second > 0 ? work / per_second * 1e9 : 0;
}

}  // namespace

Result<Roofline> make_roofline(const Task& task, const Workload& workload,
                               const DeviceSpec& device) {
  Roofline roofline;
  WARPMIND_TRY(roofline.bytes, cost(task.cost.bytes, workload));
  WARPMIND_TRY(roofline.flops, cost(task.cost.flops, workload));
  roofline.memory_ns = nanoseconds(roofline.bytes, device.memory_bandwidth_gb_s * 1e9);
  roofline.compute_ns = nanoseconds(roofline.flops, arithmetic_peak(task, device).tflops * 1e12);
  const double l2_bytes = device.l2_mib * 1024 * 1024;
  roofline.floor_ns = nanoseconds(roofline.flops, generous_tflops(task, device) * 1e12);
  if (roofline.bytes >= kL2Factor * l2_bytes) {
    roofline.floor_ns = std::max(roofline.floor_ns, roofline.memory_ns);
  }
  return roofline;
}

std::optional<std::string> faster_than_light(double time_ns, const Roofline& roofline) {
  if (!std::isfinite(time_ns) || time_ns <= 0) {
    return "the time of a run is not a positive number";
  }
  if (time_ns >= kFloorShare * roofline.floor_ns) return std::nullopt;
  return "a run took " + std::to_string(std::llround(time_ns)) +
         " ns, but moving the task's bytes and doing its arithmetic takes this device at least " +
         std::to_string(std::llround(roofline.floor_ns)) +
         " ns: work is left out, or the task's cost model is wrong";
}

std::vector<Metric> roofline_metrics(double time_ns, const Roofline& roofline) {
  const double seconds = time_ns * 1e-9;
  std::vector<Metric> metrics{{"warpmind__time_ns", time_ns, "ns"}};
  if (roofline.time_ns() > 0) {
    metrics.push_back({"warpmind__roofline_time_ns", roofline.time_ns(), "ns"});
    metrics.push_back({"warpmind__headroom_ratio", time_ns / roofline.time_ns(), "ratio"});
  }
  if (roofline.bytes > 0) {
    metrics.push_back({"warpmind__achieved_bytes_per_s", roofline.bytes / seconds, "bytes/s"});
    metrics.push_back({"warpmind__bandwidth_pct", 100 * roofline.memory_ns / time_ns, "percent"});
  }
  if (roofline.flops > 0) {
    metrics.push_back({"warpmind__achieved_flops_per_s", roofline.flops / seconds, "flops/s"});
    metrics.push_back({"warpmind__flops_pct", 100 * roofline.compute_ns / time_ns, "percent"});
  }
  return metrics;
}

}  // namespace warpmind::profilers
