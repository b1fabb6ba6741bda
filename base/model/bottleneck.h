#pragma once
/// \file
/// The performance state: what limits a kernel, by which metrics.

#include "base/enum_names.h"

#include <string>
#include <vector>

namespace warpmind {

enum class BottleneckClass {
  memory_bandwidth,    ///< DRAM close to its ceiling
  uncoalesced_access,  ///< many more sectors a request than needed
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
                    {BottleneckClass::unknown, "unknown"});

/// One metric that decided, beside the threshold it was held against.
struct DecidingMetric {
  std::string name;
  double value = 0;
  double threshold = 0;
  std::string unit;
  bool operator==(const DecidingMetric&) const = default;
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
  std::vector<BottleneckClass> secondary;
  std::string kernel;  ///< the launch it was found in (largest share of time)
  std::vector<DecidingMetric> deciders;
  double headroom = 0;      ///< time / limit; 1 = at the limit; 0 = no limit is known
  double confidence = 0;    ///< 0 … 1; low when only T0 or T1 was at hand
  std::string explanation;  ///< one sentence
  std::vector<LaunchState> launches = {};  ///< in launch order, when there are several
  bool operator==(const Bottleneck&) const = default;
};

}  // namespace warpmind
