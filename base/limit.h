#pragma once
/// \file
/// The one place that says how fast a task can be at all, and how far a time is from that. Verdicts
/// carry the Limit that held for them; nothing else computes one.

#include "base/model/device.h"
#include "base/model/limit.h"
#include "base/model/measurement.h"
#include "base/model/task.h"
#include "base/result.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpmind {

struct ArithmeticPeak {
  double tflops = 0;      ///< 0 = the device table does not know it
  std::string_view name;  ///< for a person: "FP32", "FP16 tensor cores"
};

/// By the widest type that the task computes in, and whether its contract lets tensor cores do it:
/// 16-bit inputs of a contraction, 32-bit ones where TF32 is allowed, 64-bit ones where the device
/// has tensor cores for them. A task that the given kernel judges names no contraction: there
/// 16-bit data alone decides.
[[nodiscard]] ArithmeticPeak arithmetic_peak(const Task& task, const DeviceSpec& device);

/// A kernel that reads `bytes` once, out of a cold L2.
struct ColdRead {
  double bytes = 0;
  double ns = 0;
  bool operator==(const ColdRead&) const = default;
};

/// What a GPU was found to need at least (profilers/lab/device_floors.h measures it).
struct DeviceFloors {
  double launch_ns = 0;              ///< of a kernel that does nothing
  std::vector<ColdRead> cold_reads;  ///< bytes and ns ascending
  bool operator==(const DeviceFloors&) const = default;
};

/// Between two reads that were timed: in proportion. Beyond the largest: at its rate. Below the
/// smallest: from the launch upwards. 0 where nothing was timed.
[[nodiscard]] double cold_read_ns(const DeviceFloors& floors, double bytes);

/// What the given kernel of a task does, counted.
struct CountedWork {
  double flops = 0;
  double moved_bytes = 0;    ///< loaded and stored by all threads together; 0 = not known
  std::string unknown = {};  ///< why there is no count; empty = there is
};

/// Whether the task's cost model says nothing of arithmetic: tasks made from a program or a kernel
/// say "1".
[[nodiscard]] bool needs_count(const Task& task);

struct LimitInput {
  const Task& task;
  const Workload& workload;
  const DeviceSpec& device;
  const DeviceFloors* floors = nullptr;  ///< of the GPU at hand; null = the device table's figures
  const CountedWork* counted = nullptr;  ///< where needs_count(); null = not counted
  /// Of a working set that stays in the caches from run to run; 0 = each run finds its data cold.
  double hot_bytes = 0;
};

/// The largest of: bytes at the bandwidth of the level that they are served from, flops at
/// arithmetic_peak(), a launch, and, where `floors` has been measured, a cold read of as many
/// bytes. Not known where the work was not counted or the device table lacks the device.
[[nodiscard]] Limit limit_of(const LimitInput& input);

/// The limit that `measurement` was stored with. Records older than limits get the device table's.
[[nodiscard]] Limit limit_at(const Measurement& measurement, const Task& task,
                             const DeviceSpec& device);

/// limit / time, at most 1. nullopt where the limit is not known, or the time is so far below it
/// that the limit must be wrong: no share is better than a wrong one.
[[nodiscard]] std::optional<double> share_of_limit(const Limit& limit, double time_ns);

/// "memory bandwidth", "L2 bandwidth", "FP32 arithmetic", "one kernel launch".
[[nodiscard]] std::string limited_by(const Limit& limit);

/// "43 % of the limit (6.99 µs, memory bandwidth)", or why there is no share; empty for a limit
/// that was never computed.
[[nodiscard]] std::string describe_share(const Limit& limit, double time_ns);

/// No honest run is faster, whatever it computes with: flops of the cost model at the device's
/// highest rate, and bytes where they are too many for L2. 0 = nothing can be said. More generous
/// than a Limit, since a kernel below it is accused. Errors: invalid_argument in the cost model.
[[nodiscard]] Result<double> physical_floor_ns(const Task& task, const Workload& workload,
                                               const DeviceSpec& device);

}  // namespace warpmind
