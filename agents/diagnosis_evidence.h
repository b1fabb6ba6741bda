#pragma once
/// \file
/// What diagnose() knows about one launch, as parts of the launch's time.

#include "base/model/device.h"
#include "base/model/limit.h"
#include "base/model/profile.h"
#include "base/model/task.h"

#include <optional>

namespace warpmind::agents {

/// For how much of the launch's time each unit of the device works, 0 … 1. What no metric tells is
/// 0.
struct BusyUnits {
  double dram = 0;  ///< of the bandwidth that can be reached
  double l2 = 0;
  double l1 = 0;         ///< data stage: global, shared and local accesses
  double l1_shared = 0;  ///< its part for shared memory
  double atomics = 0;    ///< of the busiest L2 slice
  double issue = 0;      ///< instruction slots
  double fma = 0;
  double alu = 0;
  double fp64 = 0;
  double special = 0;  ///< special functions and conversions
  double tensor = 0;

  [[nodiscard]] double memory() const;  ///< the busiest beyond the multiprocessors
  [[nodiscard]] double pipes() const;   ///< the busiest that computes or issues
  [[nodiscard]] double busiest() const;
};

/// What a warp spends its time on, 0 … 1 each; all 0 where `known` is false.
struct WarpTime {
  bool known = false;
  double global_memory = 0;  ///< waits for loads, stores, or room in the queue to memory
  double shared_memory = 0;  ///< waits for shared memory, special functions, or their queue
  double barrier = 0;        ///< and memory fences
  double dependency = 0;     ///< fixed latencies of the instruction before
};

/// Missing numbers are nullopt, never 0.
struct LaunchEvidence {
  const KernelProfile& profile;
  const Task& task;
  const DeviceSpec& device;
  ProfileTier tier = ProfileTier::t0;
  bool modelled = false;  ///< counters are the simulator's
  Limit limit = {};       ///< of the whole plan
  double time_share = 1;  ///< of the plan's time
  std::optional<double> plan_time_ns = {};
  std::optional<double> blocks = {};
  std::optional<double> threads = {};
  std::optional<double> needed_bytes = {};  ///< that this launch has to move between DRAM and SMs
  int widest_access_bytes = 16;             ///< that a thread may make, as far as its text says
  BusyUnits busy = {};
  WarpTime warps = {};

  [[nodiscard]] std::optional<double> get(std::string_view metric) const {
    return profile.find(metric);
  }
  [[nodiscard]] double or_zero(std::string_view metric) const { return get(metric).value_or(0); }
  [[nodiscard]] bool has_counters() const { return tier == ProfileTier::t2; }
  [[nodiscard]] std::optional<double> time_ns() const;  ///< of the launch
  /// limit / time of the plan; 0 = not known.
  [[nodiscard]] double limit_share() const;
  [[nodiscard]] double launch_ns() const;  ///< of an empty launch
  /// Of the launch, from and to DRAM.
  [[nodiscard]] std::optional<double> moved_bytes() const;
};

/// Fills in `busy` and `warps` from the metrics of the launch.
void add_parts_of_time(LaunchEvidence& evidence);

}  // namespace warpmind::agents
