#include "agents/diagnosis_evidence.h"

#include "base/model/metric_names.h"

#include <algorithm>

namespace warpmind::agents {
namespace {

constexpr double kSchedulers = 4;  // of a multiprocessor
constexpr double kReachableDram = 0.91;
constexpr double kLaunchNs = 2500;  // of an empty kernel, where none was timed

double share(const LaunchEvidence& e, std::string_view metric) {
  return std::clamp(e.or_zero(metric) / 100, 0.0, 1.0);
}

/// Part of the time in which a multiprocessor has work, on average.
double active_share(const LaunchEvidence& e) {
  const auto active = e.get(metric_names::kCyclesActive);
  const auto elapsed = e.get(metric_names::kCyclesElapsed);
  return active && elapsed && *elapsed > 0 ? std::min(1.0, *active / *elapsed) : 1.0;
}

BusyUnits busy_units(const LaunchEvidence& e) {
  const double active = active_share(e);
  const double reachable =
      e.device.timing.dram_efficiency > 0 ? e.device.timing.dram_efficiency : kReachableDram;
  BusyUnits busy;
  busy.dram = std::min(1.0, share(e, metric_names::kDramPct) / reachable);
  busy.l2 = share(e, metric_names::kL2Pct);
  busy.l1 = share(e, metric_names::kL1Pct);
  const double cycles = e.or_zero(metric_names::kCyclesElapsed) * e.device.sm_count;
  const double shared_wavefronts =
      e.get(metric_names::kSharedWavefronts)
          .value_or(e.or_zero(metric_names::kModelledSharedWavefronts));
  if (cycles > 0) {
    busy.l1_shared = shared_wavefronts / cycles;
  }
  busy.atomics =
      std::max(share(e, metric_names::kAtomicsPct), share(e, metric_names::kL2AtomicPct));
  busy.issue = active * share(e, metric_names::kIssuePct);
  busy.fma = active * share(e, metric_names::kFmaPct);
  busy.alu = active * share(e, metric_names::kAluPct);
  busy.fp64 = active * share(e, metric_names::kFp64Pct);
  busy.special = active * share(e, metric_names::kSpecialPct);
  busy.tensor = active * share(e, metric_names::kTensorPct);
  return busy;
}

/// Where the parts are not counted one by one, as in the simulator and in older records: the
/// busiest of each kind.
void add_sums(const LaunchEvidence& e, BusyUnits& busy) {
  if (!e.get(metric_names::kIssuePct)) {
    busy.issue = share(e, metric_names::kSmPct);
  }
  if (!e.get(metric_names::kL1Pct)) {
    busy.l1 = share(e, metric_names::kMemoryPct);
  }
}

WarpTime warp_time(const LaunchEvidence& e) {
  WarpTime time;
  const auto warps = e.get(metric_names::kWarpsActivePct);
  const auto issue = e.get(metric_names::kIssuePct);
  double total = 0;  // cycles of a warp between two of its instructions
  if (warps && issue && *issue > 0 && e.device.warps_per_sm > 0) {
    total = *warps * e.device.warps_per_sm / kSchedulers / *issue;
  }
  const double memory =
      e.or_zero(metric_names::kStalledLongScoreboard) + e.or_zero(metric_names::kStalledLgThrottle);
  const double shared = e.or_zero(metric_names::kStalledShortScoreboard) +
                        e.or_zero(metric_names::kStalledMioThrottle);
  const double barrier =
      e.or_zero(metric_names::kStalledBarrier) + e.or_zero(metric_names::kStalledMembar);
  const double dependency =
      e.or_zero(metric_names::kStalledWait) + e.or_zero(metric_names::kStalledBranchResolving);
  const double issued = 1 + e.or_zero(metric_names::kStalledNotSelected) +
                        e.or_zero(metric_names::kStalledMathPipeThrottle);
  total = std::max(total, memory + shared + barrier + dependency + issued);
  time.known = memory + shared + barrier + dependency > 0;
  if (!time.known) {
    // The simulator counts no waits: where no unit is full, memory is what warps wait for.
    const double busiest = e.busy.busiest();
    if (e.has_counters() && busiest > 0) time.global_memory = 1 - busiest;
    return time;
  }
  // What no other reason explains is waited for before a warp may end: its stores.
  time.global_memory = (total - shared - barrier - dependency - issued) / total;
  if (!issue) time.global_memory = memory / total;
  time.shared_memory = shared / total;
  time.barrier = barrier / total;
  time.dependency = dependency / total;
  return time;
}

}  // namespace

double BusyUnits::memory() const { return std::max({dram, l2, atomics}); }
double BusyUnits::pipes() const { return std::max({issue, fma, alu, fp64, special, tensor}); }
double BusyUnits::busiest() const { return std::max({memory(), l1, pipes()}); }

std::optional<double> LaunchEvidence::time_ns() const {
  if (plan_time_ns) return *plan_time_ns * time_share;
  return get(metric_names::kTime);
}

double LaunchEvidence::launch_ns() const {
  if (limit.by == LimitedBy::launch) return limit.ns;
  return device.timing.launch_us > 0 ? 1e3 * device.timing.launch_us : kLaunchNs;
}

double LaunchEvidence::limit_share() const {
  if (limit.ns <= 0 || !plan_time_ns || !(*plan_time_ns > 0)) return 0;
  return std::min(1.0, limit.ns / *plan_time_ns);
}

std::optional<double> LaunchEvidence::moved_bytes() const {
  const auto read = get(metric_names::kDramRead);
  const auto written = get(metric_names::kDramWritten);
  if (!read || !written) return std::nullopt;
  return *read + *written;
}

void add_parts_of_time(LaunchEvidence& evidence) {
  evidence.busy = busy_units(evidence);
  add_sums(evidence, evidence.busy);
  evidence.busy.l1_shared = std::min(evidence.busy.l1_shared, evidence.busy.l1);
  evidence.warps = warp_time(evidence);
}

}  // namespace warpmind::agents
