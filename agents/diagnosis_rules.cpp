#include "agents/diagnosis_rules.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace warpmind::agents {
namespace {

using Metrics = const LaunchEvidence&;
using MaybeFinding = std::optional<Finding>;

// Names as the Range Profiler spells them.
constexpr auto kDramPct = "dram__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr auto kSmPct = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
constexpr auto kSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
constexpr auto kRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
constexpr auto kStoreSectors = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
constexpr auto kStoreRequests = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
constexpr auto kLoadBytes = "warpmind__load_bytes";
constexpr auto kStoreBytes = "warpmind__store_bytes";
constexpr auto kAtomicsPct = "warpmind__atomics_pct";
constexpr auto kConflicts = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";
constexpr auto kInstructions = "smsp__inst_executed.sum";
constexpr auto kLanes = "smsp__thread_inst_executed_per_inst_executed.ratio";
// Not sm__inst_executed_pipe_tensor.sum: an H200 counts one a warp without any tensor instruction.
constexpr auto kTensorPct = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active";
constexpr auto kWarpsPct = "sm__warps_active.avg.pct_of_peak_sustained_active";
constexpr auto kLongStall =
    "smsp__average_warps_issue_stalled_long_scoreboard_per_issue_active.ratio";
constexpr auto kBarrierStall = "smsp__average_warps_issue_stalled_barrier_per_issue_active.ratio";
constexpr auto kReadBytes = "dram__bytes_read.sum";
constexpr auto kWriteBytes = "dram__bytes_write.sum";
constexpr auto kSpills = "warpmind__spill_bytes";
constexpr auto kTheoreticalPct = "warpmind__theoretical_occupancy_pct";

// With float4 a coalesced request moves 16 sectors; one lane a sector moves 32 (measured:
// docs/measuring.md). Above 16 lanes do not share sectors, however much each asks for.
constexpr double kCoalescedSectors = 16.5;
// A transpose by blocks of 16 x 16 threads moves four times the sectors that hold what it asks for;
// rows that begin within a sector make it 1.25 to 2 times.
constexpr double kExtraSectors = 3;
constexpr double kSectorBytes = 32;
constexpr double kWarpLanes = 32;
// A streaming copy reached 88 % on an H200; three quarters of the peak is near the ceiling.
constexpr double kBandwidthPct = 75;
constexpr double kComputePct = 70;
// Cycles a warp waits a issued instruction; a naive row sum stands at 103, a tuned copy below 10.
constexpr double kLatencyStall = 10;
constexpr double kBarrierStallLimit = 5;
constexpr double kConvergedLanes = 24;  // of 32
constexpr double kConflictShare = 0.1;  // conflicts an instruction
constexpr double kOccupancyPct = 50;
constexpr double kWarpsActivePct = 35;
constexpr double kExtraTraffic = 1.5;   // moved / compulsory bytes
constexpr double kLaunchCostNs = 4000;  // an empty launch takes 2-3 us
constexpr double kAtomicsPctLimit = 50;
// Idle pipes read about 1 % on an H200.
constexpr double kTensorIdlePct = 2;
constexpr double kThreadShare = 0.25;  // of the threads that the device can hold

std::optional<double> get(Metrics e, const char* name) { return e.profile.find(name); }

Finding finding(BottleneckClass which, double severity, double confidence,
                std::vector<DecidingMetric> deciders) {
  return {which, severity, confidence, std::move(deciders)};
}

MaybeFinding spills(Metrics e) {
  const auto bytes = get(e, kSpills);
  if (!bytes || *bytes <= 0) return std::nullopt;
  return finding(BottleneckClass::register_spills, 1.2 + std::min(*bytes / 512, 1.0), 0.7,
                 {{kSpills, *bytes, 0, "bytes"}});
}

MaybeFinding launch_overhead(Metrics e) {
  if (!e.plan_time_ns) return std::nullopt;
  const double each = *e.plan_time_ns / static_cast<double>(e.launches);
  if (each > kLaunchCostNs) return std::nullopt;
  return finding(BottleneckClass::launch_overhead, 1 + kLaunchCostNs / std::max(each, 1.0), 0.6,
                 {{"warpmind__time_per_launch_ns", each, kLaunchCostNs, "ns"}});
}

/// Something that all threads share is busy most of the time: more of them would wait for it, too.
bool shared_unit_is_full(Metrics e) {
  return get(e, kAtomicsPct).value_or(0) >= kAtomicsPctLimit ||
         get(e, kDramPct).value_or(0) >= kBandwidthPct;
}

MaybeFinding parallelism(Metrics e) {
  if (!e.blocks || !e.threads || e.device.sm_count == 0) return std::nullopt;
  if (shared_unit_is_full(e)) return std::nullopt;
  const double capacity = static_cast<double>(e.device.sm_count) * e.device.threads_per_sm;
  const double block_share = *e.blocks / e.device.sm_count;
  const double thread_share = *e.threads / capacity;
  if (block_share >= 1 && thread_share >= kThreadShare) return std::nullopt;
  const double severity = std::max(1 / std::min(block_share, 1.0),
                                   std::sqrt(kThreadShare / std::min(thread_share, kThreadShare)));
  std::vector<DecidingMetric> deciders;
  if (block_share < 1) {
    deciders.push_back(
        {"warpmind__blocks", *e.blocks, static_cast<double>(e.device.sm_count), "count"});
  }
  if (thread_share < kThreadShare) {
    deciders.push_back(
        {"warpmind__threads_pct_of_device", 100 * thread_share, 100 * kThreadShare, "percent"});
  }
  return finding(BottleneckClass::low_parallelism, severity, 0.85, std::move(deciders));
}

/// Sectors that requests of one kind move, beside those that would do.
struct SectorUse {
  double moved = 0;  ///< a request
  double limit = 0;  ///< a request; above it lanes do not share sectors
  double extra = 0;  ///< how many times the sectors that would do
};

std::optional<SectorUse> sector_use(Metrics e, const char* sectors, const char* requests,
                                    const char* bytes) {
  const auto moved = get(e, sectors);
  const auto asked = get(e, requests);
  if (!moved || !asked || *asked <= 0) return std::nullopt;
  // Without a count of bytes all lanes are taken to ask for as much as the kernel's widest access.
  const double each = get(e, bytes).value_or(*asked * kWarpLanes * e.widest_access_bytes) / *asked;
  const double needed = std::max(1.0, each / kSectorBytes);
  return SectorUse{*moved / *asked, std::min(kCoalescedSectors, kExtraSectors * needed),
                   *moved / *asked / needed};
}

MaybeFinding uncoalesced(Metrics e) {
  const auto loads = sector_use(e, kSectors, kRequests, kLoadBytes);
  const auto stores = sector_use(e, kStoreSectors, kStoreRequests, kStoreBytes);
  const auto excess = [](const std::optional<SectorUse>& use) {
    return use ? use->moved / use->limit : 0;
  };
  const bool at_stores = excess(stores) > excess(loads);
  const auto& worst = at_stores ? stores : loads;
  if (!worst || excess(worst) <= 1) return std::nullopt;
  return finding(
      BottleneckClass::uncoalesced_access, std::max(worst->moved / 8, worst->extra / 2), 0.9,
      {{at_stores ? "warpmind__sectors_per_store_request" : "warpmind__sectors_per_load_request",
        worst->moved, worst->limit, "ratio"}});
}

MaybeFinding bandwidth(Metrics e) {
  const auto pct = get(e, kDramPct);
  if (!pct || *pct < kBandwidthPct) return std::nullopt;
  return finding(BottleneckClass::memory_bandwidth, 1 + *pct / 100, 0.9,
                 {{kDramPct, *pct, kBandwidthPct, "percent"}});
}

MaybeFinding extra_traffic(Metrics e) {
  const auto read = get(e, kReadBytes);
  const auto written = get(e, kWriteBytes);
  if (!read || !written || !e.compulsory_bytes || *e.compulsory_bytes <= 0) return std::nullopt;
  // The metrics are of one launch, the cost model of the plan: share the plan out by time.
  const double moved = (*read + *written) / std::max(e.profile.time_share, 1e-6);
  const double factor = moved / *e.compulsory_bytes;
  if (factor < kExtraTraffic) return std::nullopt;
  return finding(BottleneckClass::extra_traffic, factor * 0.9, 0.6,
                 {{"warpmind__traffic_ratio", factor, kExtraTraffic, "ratio"}});
}

MaybeFinding bank_conflicts(Metrics e) {
  const auto conflicts = get(e, kConflicts);
  const auto instructions = get(e, kInstructions);
  if (!conflicts || !instructions || *instructions <= 0) return std::nullopt;
  const double share = *conflicts / *instructions;
  if (share < kConflictShare) return std::nullopt;
  return finding(BottleneckClass::shared_bank_conflicts, 1 + share * 4, 0.8,
                 {{"warpmind__conflicts_per_instruction", share, kConflictShare, "ratio"}});
}

MaybeFinding compute(Metrics e) {
  const auto pct = get(e, kSmPct);
  if (!pct || *pct < kComputePct) return std::nullopt;
  return finding(BottleneckClass::compute_throughput, 1 + *pct / 100, 0.8,
                 {{kSmPct, *pct, kComputePct, "percent"}});
}

MaybeFinding tensor_idle(Metrics e) {
  if (e.task.operator_family != "gemm" && e.task.operator_family != "conv") return std::nullopt;
  const bool narrow =
      std::any_of(e.task.arguments.begin(), e.task.arguments.end(), [](const Argument& argument) {
        return argument.kind == ArgumentKind::in &&
               (argument.dtype == Dtype::f16 || argument.dtype == Dtype::bf16);
      });
  const auto busy = get(e, kTensorPct);
  if (!narrow || !busy || *busy > kTensorIdlePct) return std::nullopt;
  const double stake =
      e.device.fp32_tflops > 0 ? e.device.fp16_tensor_tflops / e.device.fp32_tflops : 8;
  return finding(BottleneckClass::tensor_cores_idle, stake, 0.9,
                 {{kTensorPct, *busy, kTensorIdlePct, "percent"}});
}

MaybeFinding latency(Metrics e) {
  const auto stall = get(e, kLongStall);
  if (!stall || *stall < kLatencyStall) return std::nullopt;
  const auto pct = get(e, kDramPct);
  if (pct && *pct >= kBandwidthPct) return std::nullopt;  // then bandwidth is the cause
  return finding(BottleneckClass::memory_latency, 1 + std::log2(*stall / kLatencyStall + 1), 0.75,
                 {{kLongStall, *stall, kLatencyStall, "ratio"}});
}

MaybeFinding barriers(Metrics e) {
  const auto stall = get(e, kBarrierStall);
  if (!stall || *stall < kBarrierStallLimit) return std::nullopt;
  return finding(BottleneckClass::synchronisation, 1 + *stall / 10, 0.7,
                 {{kBarrierStall, *stall, kBarrierStallLimit, "ratio"}});
}

/// Atomics on one address take turns.
MaybeFinding turns(Metrics e) {
  const auto pct = get(e, kAtomicsPct);
  if (!pct || *pct < kAtomicsPctLimit) return std::nullopt;
  return finding(BottleneckClass::synchronisation, 1 + *pct / 25, 0.8,
                 {{kAtomicsPct, *pct, kAtomicsPctLimit, "percent"}});
}

MaybeFinding divergence(Metrics e) {
  const auto lanes = get(e, kLanes);
  if (!lanes || *lanes <= 0 || *lanes >= kConvergedLanes) return std::nullopt;
  return finding(BottleneckClass::thread_divergence, 32 / *lanes, 0.75,
                 {{kLanes, *lanes, kConvergedLanes, "ratio"}});
}

MaybeFinding occupancy(Metrics e) {
  const auto theoretical = get(e, kTheoreticalPct);
  const auto active = get(e, kWarpsPct);
  if (!theoretical || *theoretical >= kOccupancyPct) return std::nullopt;
  if (active && *active >= kWarpsActivePct) return std::nullopt;
  std::vector<DecidingMetric> deciders{{kTheoreticalPct, *theoretical, kOccupancyPct, "percent"}};
  if (active) deciders.push_back({kWarpsPct, *active, kWarpsActivePct, "percent"});
  return finding(BottleneckClass::low_occupancy, 1 + (kOccupancyPct - *theoretical) / 50,
                 active ? 0.7 : 0.4, std::move(deciders));
}

constexpr std::array kRules{spills,        launch_overhead, parallelism, uncoalesced, bandwidth,
                            extra_traffic, bank_conflicts,  compute,     tensor_idle, latency,
                            turns,         barriers,        divergence,  occupancy};

}  // namespace

std::vector<Finding> apply_rules(const LaunchEvidence& evidence) {
  std::vector<Finding> findings;
  for (const auto rule : kRules) {
    if (auto fired = rule(evidence)) findings.push_back(std::move(*fired));
  }
  std::stable_sort(findings.begin(), findings.end(), [](const Finding& a, const Finding& b) {
    return a.severity * a.confidence > b.severity * b.confidence;
  });
  return findings;
}

}  // namespace warpmind::agents
