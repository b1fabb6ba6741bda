#pragma once
/// \file
/// The performance state: what a kernel spends time on that it would not need, and how much.

#include "base/enum_names.h"

#include <optional>
#include <string>
#include <vector>

namespace warpmind {

enum class BottleneckClass {
  memory_bandwidth,    ///< DRAM close to its ceiling
  uncoalesced_access,  ///< many more sectors a request than what is asked for fills
  memory_latency,      ///< stalled on loads, DRAM far from its ceiling
  shared_bank_conflicts,
  compute_throughput,  ///< arithmetic pipes close to their ceiling
  tensor_cores_idle,   ///< a contraction in 16 bit that does not use tensor cores
  low_parallelism,     ///< too few blocks for the device
  low_occupancy,       ///< registers or shared memory limit the warps
  register_spills,
  thread_divergence,
  synchronisation,  ///< stalled on barriers, or atomics on one address take turns
  launch_overhead,  ///< kernels shorter than their launch
  extra_traffic,    ///< moves much more than the compulsory bytes
  wave_tail,        ///< the last wave of blocks leaves most of the device idle
  load_imbalance,   ///< some blocks have much more to do than others
  at_limit,         ///< as fast as the limit allows: nothing worth a change is left
  unknown,
};
WARPMIND_ENUM_NAMES(BottleneckClass, {BottleneckClass::memory_bandwidth, "memory_bandwidth"},
                    {BottleneckClass::uncoalesced_access, "uncoalesced_access"},
                    {BottleneckClass::memory_latency, "memory_latency"},
                    {BottleneckClass::shared_bank_conflicts, "shared_bank_conflicts"},
                    {BottleneckClass::compute_throughput, "compute_throughput"},
                    {BottleneckClass::tensor_cores_idle, "tensor_cores_idle"},
                    {BottleneckClass::low_parallelism, "low_parallelism"},
                    {BottleneckClass::low_occupancy, "low_occupancy"},
                    {BottleneckClass::register_spills, "register_spills"},
                    {BottleneckClass::thread_divergence, "thread_divergence"},
                    {BottleneckClass::synchronisation, "synchronisation"},
                    {BottleneckClass::launch_overhead, "launch_overhead"},
                    {BottleneckClass::extra_traffic, "extra_traffic"},
                    {BottleneckClass::wave_tail, "wave_tail"},
                    {BottleneckClass::load_imbalance, "load_imbalance"},
                    {BottleneckClass::at_limit, "at_limit"}, {BottleneckClass::unknown, "unknown"});

/// A number that an expert would check.
struct DecidingMetric {
  std::string name;
  double value = 0;
  std::optional<double> needed = {};  ///< what it would be without the cause, where that is known
  std::string unit = {};
  bool operator==(const DecidingMetric&) const = default;
};

/// Something that costs time. Costs of several causes overlap: they do not add up.
struct Cause {
  BottleneckClass which = BottleneckClass::unknown;
  std::string kernel = {};  ///< the launch that it costs most, which the sentence is about
  double at_stake_ns = 0;   ///< that a run of the plan would save at most, were the cause gone
  double share = 0;         ///< of the plan's time, 0 … 1; known even where the time is not
  double confidence = 0;    ///< 0 … 1
  std::string explanation;  ///< one sentence with its numbers, "moves 8.0x the bytes it needs"
  std::vector<DecidingMetric> deciders;
  bool operator==(const Cause&) const = default;
};

/// One launch of the plan, by itself.
struct LaunchState {
  std::string kernel;
  double time_share = 1;  ///< of the plan's time, 0 … 1
  BottleneckClass primary = BottleneckClass::unknown;
  double confidence = 0;
  bool operator==(const LaunchState&) const = default;
};

struct Bottleneck {
  BottleneckClass primary = BottleneckClass::unknown;
  std::vector<BottleneckClass> secondary;  ///< the other causes, in their order
  std::string kernel;                      ///< the launch that the primary cause costs most
  std::vector<DecidingMetric> deciders;    ///< of the primary cause
  double headroom = 0;      ///< time / limit; 1 = at the limit; 0 = no limit is known
  double confidence = 0;    ///< 0 … 1; low when only T0 or T1 was at hand
  std::string explanation;  ///< one sentence
  std::vector<LaunchState> launches = {};  ///< in launch order, when there are several
  std::vector<Cause> causes = {};          ///< costliest first; empty in older records
  bool operator==(const Bottleneck&) const = default;
};

}  // namespace warpmind
