#pragma once
/// \file
/// Time as evidence: samples reduced to a statistic, with everything that makes it comparable.

#include "base/enum_names.h"
#include "base/model/best_library.h"
#include "base/model/device.h"
#include "base/model/kernel.h"
#include "base/model/limit.h"

#include <cstdint>
#include <string>

namespace warpmind {

/// Who produced a number. Evidence of one provider never counts as evidence of another.
enum class Provider { gpu, sim, fixture };
WARPMIND_ENUM_NAMES(Provider, {Provider::gpu, "gpu"}, {Provider::sim, "sim"},
                    {Provider::fixture, "fixture"});

/// Time of one run of the whole launch plan on one workload.
struct Measurement {
  Provider provider = Provider::gpu;
  DeviceIdentity device;
  std::string toolkit;  ///< nvcc release, "13.0"
  std::string workload;
  Tier tier = Tier::a;
  bool sandboxed = true;
  bool cold_l2 = true;  ///< L2 flushed before every block
  double median_ns = 0;
  double low_ns = 0;  ///< 95 % interval of the median, by order statistics
  double high_ns = 0;
  std::int64_t samples = 0;  ///< blocks
  std::int64_t launches_per_sample = 0;
  double sm_clock_mhz = 0;  ///< median over the session; 0 = unknown
  std::string harness;      ///< version of the lab; numbers of two versions are not compared
  std::string bound;        ///< provider sim: what the model says limits it, "dram"; else empty
  std::string confidence;   ///< provider sim: "high", "medium" or "low" for that bound; else empty
  std::string host = {};    ///< name of the machine, where a worker on another one measured
  Limit limit = {};         ///< of the workload on the device; share of the limit = limit.ns / time
  BestLibrary best_library = {};  ///< for the workload on the device
  bool operator==(const Measurement&) const = default;
};

/// Paired comparison of candidate and incumbent: ratio = incumbent time / candidate time (> 1 is
/// faster).
struct Comparison {
  double ratio = 1;
  double low = 1;  ///< bounds of the interval at `confidence`
  double high = 1;
  double confidence = 0.99;
  std::int64_t processes = 0;  ///< fresh process pairs; 1 = screening only, never evidence
  std::int64_t quads = 0;      ///< ABBA quads in all
  bool operator==(const Comparison&) const = default;
};

}  // namespace warpmind
