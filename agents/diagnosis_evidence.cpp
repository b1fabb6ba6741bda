#include "agents/diagnosis_evidence.h"

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
  const auto active = e.get("sm__cycles_active.avg");
  const auto elapsed = e.get("sm__cycles_elapsed.max");
  return active && elapsed && *elapsed > 0 ? std::min(1.0, *active / *elapsed) : 1.0;
}

double stalled(const LaunchEvidence& e, std::string_view reason) {
  return e.or_zero("smsp__average_warps_issue_stalled_" + std::string(reason) +
                   "_per_issue_active.ratio");
}

BusyUnits busy_units(const LaunchEvidence& e) {
  const double active = active_share(e);
  const double reachable =
      e.device.timing.dram_efficiency > 0 ? e.device.timing.dram_efficiency : kReachableDram;
  BusyUnits busy;
  busy.dram =
      std::min(1.0, share(e, "dram__throughput.avg.pct_of_peak_sustained_elapsed") / reachable);
  busy.l2 = share(e, "lts__t_sectors.avg.pct_of_peak_sustained_elapsed");
  busy.l1 = share(e, "l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed");
  const double cycles = e.or_zero("sm__cycles_elapsed.max") * e.device.sm_count;
  const double shared_wavefronts = e.get("l1tex__data_pipe_lsu_wavefronts_mem_shared.sum")
                                       .value_or(e.or_zero("warpmind__shared_wavefronts"));
  if (cycles > 0) {
    busy.l1_shared = shared_wavefronts / cycles;
  }
  busy.atomics =
      std::max(share(e, "warpmind__atomics_pct"),
               share(e, "lts__d_atomic_input_cycles_active.max.pct_of_peak_sustained_elapsed"));
  busy.issue = active * share(e, "smsp__issue_active.avg.pct_of_peak_sustained_active");
  busy.fma = active * share(e, "sm__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active");
  busy.alu = active * share(e, "sm__pipe_alu_cycles_active.avg.pct_of_peak_sustained_active");
  busy.fp64 = active * share(e, "sm__pipe_fp64_cycles_active.avg.pct_of_peak_sustained_active");
  busy.special = active * share(e, "sm__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active");
  busy.tensor = active * share(e, "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active");
  return busy;
}

/// Where the parts are not counted one by one, as in the simulator and in older records: the
/// busiest of each kind.
void add_sums(const LaunchEvidence& e, BusyUnits& busy) {
  if (!e.get("smsp__issue_active.avg.pct_of_peak_sustained_active")) {
    busy.issue = share(e, "sm__throughput.avg.pct_of_peak_sustained_elapsed");
  }
  if (!e.get("l1tex__data_pipe_lsu_wavefronts.avg.pct_of_peak_sustained_elapsed")) {
    busy.l1 = share(e, "gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed");
  }
}

WarpTime warp_time(const LaunchEvidence& e) {
  WarpTime time;
  const auto warps = e.get("sm__warps_active.avg.pct_of_peak_sustained_active");
  const auto issue = e.get("smsp__issue_active.avg.pct_of_peak_sustained_active");
  double total = 0;  // cycles of a warp between two of its instructions
  if (warps && issue && *issue > 0 && e.device.warps_per_sm > 0) {
    total = *warps * e.device.warps_per_sm / kSchedulers / *issue;
  }
  const double memory = stalled(e, "long_scoreboard") + stalled(e, "lg_throttle");
  const double shared = stalled(e, "short_scoreboard") + stalled(e, "mio_throttle");
  const double barrier = stalled(e, "barrier") + stalled(e, "membar");
  const double dependency = stalled(e, "wait") + stalled(e, "branch_resolving");
  const double issued = 1 + stalled(e, "not_selected") + stalled(e, "math_pipe_throttle");
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
  return get("gpu__time_duration.sum");
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
  const auto read = get("dram__bytes_read.sum");
  const auto written = get("dram__bytes_write.sum");
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
