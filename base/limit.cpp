#include "base/limit.h"

#include "base/expression.h"
#include "base/text.h"

#include <algorithm>
#include <cmath>

namespace warpmind {
namespace {

/// A time this much below the limit says that the limit is wrong; less is how far times scatter.
constexpr double kSlack = 1.1;
/// A cold read that takes hardly more than a launch is limited by the launch.
constexpr double kBarelyMore = 1.05;
/// Data of less than this many times the L2 may stay there.
constexpr double kL2Factor = 1.5;
constexpr double kMib = 1024 * 1024;

bool has_dtype(const Task& task, Dtype dtype) {
  return std::any_of(task.arguments.begin(), task.arguments.end(), [&](const Argument& a) {
    return a.kind != ArgumentKind::scalar && a.dtype == dtype;
  });
}

double nanoseconds(double work, double giga_per_second) {
  return giga_per_second > 0 ? work / giga_per_second : 0;
}

Result<double> cost(const std::string& expression, const Workload& workload) {
  if (expression.empty()) return 0.0;
  WARPMIND_TRY(const auto value, evaluate(expression, workload.sizes));
  return std::max(0.0, static_cast<double>(value));
}

/// cc 8.0 and 9.0: twice the rate of the FP64 lanes (datasheets of A100 and H100; a B200's are
/// as fast as its lanes).
ArithmeticPeak fp64_contraction(const DeviceSpec& device) {
  const bool twice =
      device.compute_minor == 0 && (device.compute_major == 8 || device.compute_major == 9);
  if (!twice) return {device.fp64_tflops, "FP64"};
  return {2 * device.fp64_tflops, "FP64 tensor cores"};
}

/// The given kernel's words for what it needs, as far as the task says less.
struct Work {
  double bytes = 0;
  double flops = 0;
  bool counted = false;
  std::string unknown = {};
};

Work work_of(const LimitInput& input) {
  const auto unknown = [](std::string why) { return Work{.unknown = std::move(why)}; };
  const auto bytes = cost(input.task.cost.bytes, input.workload);
  if (!bytes) return unknown("the cost model: " + bytes.error().message);
  Work work{.bytes = *bytes};
  if (!needs_count(input.task)) {
    const auto flops = cost(input.task.cost.flops, input.workload);
    if (!flops) return unknown("the cost model: " + flops.error().message);
    work.flops = *flops;
    return work;
  }
  if (input.counted == nullptr) return unknown("the given kernel's arithmetic was not counted");
  if (!input.counted->unknown.empty()) {
    return unknown("the given kernel's arithmetic cannot be counted: " + input.counted->unknown);
  }
  work.counted = true;
  work.flops = input.counted->flops;
  // Its buffers may be larger than what it touches.
  const double moved = input.counted->moved_bytes;
  if (moved > 0) work.bytes = std::min(work.bytes, moved);
  return work;
}

bool stays_in_l2(const LimitInput& input) {
  return input.hot_bytes > 0 && input.hot_bytes <= input.device.l2_mib * kMib;
}

double l2_gb_s(const DeviceSpec& device) {
  const TimingModel& timing = device.timing;
  return timing.l2_bytes * device.sm_count * timing.sustained_clock_mhz * 1e-3;
}

void set_larger(Limit& limit, double ns, LimitedBy by) {
  if (ns <= limit.ns) return;
  limit.ns = ns;
  limit.by = by;
}

/// What is missing to say a limit; empty = nothing.
std::string missing_figure(const Limit& limit, const DeviceSpec& device) {
  if (limit.bytes <= 0 && limit.flops <= 0) return "the task has no cost model";
  const std::string row = "the device table does not know the ";
  if (limit.bytes > 0 && limit.bandwidth_gb_s <= 0) return row + "bandwidth of " + device.name;
  if (limit.flops > 0 && limit.peak_gflops <= 0)
    return row + limit.peak + " rate of " + device.name;
  return {};
}

}  // namespace

ArithmeticPeak arithmetic_peak(const Task& task, const DeviceSpec& device) {
  const bool contraction = task.contract.tolerance == ToleranceClass::contraction;
  if (has_dtype(task, Dtype::f64)) {
    return contraction ? fp64_contraction(device) : ArithmeticPeak{device.fp64_tflops, "FP64"};
  }
  const bool given_decides = task.reference.empty() && !has_dtype(task, Dtype::f32);
  if (!contraction && !given_decides) return {device.fp32_tflops, "FP32"};
  if (has_dtype(task, Dtype::f16)) return {device.fp16_tensor_tflops, "FP16 tensor cores"};
  const bool ampere = device.compute_major >= 8;  // bf16 and TF32 came with it
  if (ampere && has_dtype(task, Dtype::bf16)) {
    return {device.fp16_tensor_tflops, "BF16 tensor cores"};
  }
  if (ampere && contraction && task.contract.tf32_allowed) {
    return {device.fp16_tensor_tflops / 2, "TF32 tensor cores"};
  }
  return {device.fp32_tflops, "FP32"};
}

double cold_read_ns(const DeviceFloors& floors, double bytes) {
  if (floors.cold_reads.empty()) return 0;
  ColdRead below{0, floors.launch_ns};
  for (const ColdRead& above : floors.cold_reads) {
    if (bytes <= above.bytes) {
      const double share = (bytes - below.bytes) / std::max(above.bytes - below.bytes, 1.0);
      return below.ns + share * (above.ns - below.ns);
    }
    below = above;
  }
  return below.ns * bytes / below.bytes;
}

bool needs_count(const Task& task) {
  return task.reference.empty() && (task.cost.flops.empty() || task.cost.flops == "1");
}

Limit limit_of(const LimitInput& input) {
  Limit limit;
  Work work = work_of(input);
  limit.unknown = std::move(work.unknown);
  limit.bytes = work.bytes;
  limit.flops = work.flops;
  limit.counted = work.counted;
  const DeviceSpec& device = input.device;
  const bool in_l2 = stays_in_l2(input);
  limit.bandwidth_gb_s = in_l2 ? l2_gb_s(device) : device.memory_bandwidth_gb_s;
  const ArithmeticPeak peak = arithmetic_peak(input.task, device);
  limit.peak_gflops = 1000 * peak.tflops;
  limit.peak = peak.name;
  if (limit.unknown.empty()) limit.unknown = missing_figure(limit, device);
  if (!limit.unknown.empty()) return limit;

  const DeviceFloors* floors = input.floors;
  limit.measured = floors != nullptr;
  const double launch_ns = floors != nullptr ? floors->launch_ns : device.timing.launch_us * 1e3;
  set_larger(limit, launch_ns, LimitedBy::launch);
  set_larger(limit, nanoseconds(limit.bytes, limit.bandwidth_gb_s),
             in_l2 ? LimitedBy::l2 : LimitedBy::memory);
  if (floors != nullptr && !in_l2) {
    const double read_ns = cold_read_ns(*floors, limit.bytes);
    set_larger(limit, read_ns,
               read_ns > kBarelyMore * launch_ns ? LimitedBy::memory : LimitedBy::launch);
  }
  set_larger(limit, nanoseconds(limit.flops, limit.peak_gflops), LimitedBy::arithmetic);
  return limit;
}

Limit limit_at(const Measurement& measurement, const Task& task, const DeviceSpec& device) {
  if (measurement.limit != Limit{}) return measurement.limit;
  for (const Workload& workload : task.workloads) {
    if (workload.name == measurement.workload) return limit_of({task, workload, device});
  }
  return {.unknown = "the task has no workload '" + measurement.workload + "' any more"};
}

std::optional<double> share_of_limit(const Limit& limit, double time_ns) {
  if (limit.ns <= 0 || !(time_ns > 0) || limit.ns > kSlack * time_ns) return std::nullopt;
  return std::min(1.0, limit.ns / time_ns);
}

std::string limited_by(const Limit& limit) {
  switch (limit.by) {
    case LimitedBy::memory: return "memory bandwidth";
    case LimitedBy::l2: return "L2 bandwidth";
    case LimitedBy::arithmetic: return limit.peak + " arithmetic";
    case LimitedBy::launch: return "one kernel launch";
    case LimitedBy::unknown: break;
  }
  return "unknown";
}

std::string describe_share(const Limit& limit, double time_ns) {
  if (limit.ns <= 0) {
    return limit.unknown.empty() ? "" : "share of the limit not known: " + limit.unknown;
  }
  const std::string what = time_text(limit.ns) + ", " + limited_by(limit);
  const auto share = share_of_limit(limit, time_ns);
  if (share)
    return significant(100 * *share, *share < 0.1 ? 2 : 3) + " % of the limit (" + what + ")";
  return "share of the limit not known: the time is below what was taken for the limit (" + what +
         (limit.counted ? "; the given kernel's arithmetic, not the least that is needed)" : ")");
}

Result<double> physical_floor_ns(const Task& task, const Workload& workload,
                                 const DeviceSpec& device) {
  WARPMIND_TRY(const double bytes, cost(task.cost.bytes, workload));
  WARPMIND_TRY(const double flops, cost(task.cost.flops, workload));
  // Splitting f32 into 16-bit parts is allowed where the accuracy holds; packed 16-bit arithmetic
  // doubles the rate of the others.
  const double lanes = std::max(device.fp32_tflops, device.fp64_tflops);
  const double tflops = task.contract.tolerance == ToleranceClass::contraction
                            ? std::max(device.fp16_tensor_tflops, lanes)
                            : 2 * lanes;
  const double compute_ns = nanoseconds(flops, 1000 * tflops);
  if (bytes < kL2Factor * device.l2_mib * kMib) return compute_ns;
  return std::max(compute_ns, nanoseconds(bytes, device.memory_bandwidth_gb_s));
}

}  // namespace warpmind
