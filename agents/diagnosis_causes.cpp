#include "agents/diagnosis_causes.h"

#include "base/launch_profile.h"
#include "base/limit.h"
#include "base/model/metric_names.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

namespace warpmind::agents {
namespace {

using Evidence = const LaunchEvidence&;
using MaybeCause = std::optional<Cause>;

constexpr double kSectorBytes = 32;
constexpr double kWarpLanes = 32;
/// Warps beyond it hide no more latency than they add (share of those that fit).
constexpr double kEnoughWarps = 0.5;
/// Of what fits; with less, loads in flight cannot fill DRAM.
constexpr double kEnoughThreads = 0.25;
/// Idle pipes read about 1 % on an H200.
constexpr double kTensorIdlePct = 2;
/// A unit that works for so much of the time is as good as full.
constexpr double kFull = 0.85;

Cause cause(BottleneckClass which, double share, double confidence, std::string explanation,
            std::vector<DecidingMetric> deciders) {
  Cause made;
  made.which = which;
  made.share = std::clamp(share, 0.0, 1.0);
  made.confidence = confidence;
  made.explanation = std::move(explanation);
  made.deciders = std::move(deciders);
  return made;
}

std::string percent(double share) { return fixed(100 * share, share < 0.0995 ? 1 : 0) + " %"; }
std::string count_text(double count) { return fixed(count, 0); }
std::string times(double factor) { return fixed(factor, factor < 9.95 ? 1 : 0) + "x"; }

/// Share of the launch's time that an empty launch would take, too.
double launch_share(Evidence e) {
  const auto time = e.time_ns();
  return time && *time > 0 ? std::min(1.0, e.launch_ns() / *time) : 0;
}

/// Blocks over what the device holds at once; 0 = not known.
double waves(Evidence e) { return e.or_zero(metric_names::kWaves); }

MaybeCause few_blocks(Evidence e) {
  if (!e.blocks || e.device.sm_count == 0) return std::nullopt;
  const double used = *e.blocks / e.device.sm_count;
  if (used >= 1) return std::nullopt;
  // More multiprocessors would share the work until something that all of them use is full.
  const double rest = std::max(used, e.busy.memory());
  const std::string count = count_text(*e.blocks);
  return cause(BottleneckClass::low_parallelism, 1 - rest, e.has_counters() ? 0.85 : 0.5,
               count + (*e.blocks == 1 ? " block" : " blocks") + " for " +
                   std::to_string(e.device.sm_count) + " multiprocessors",
               {{"warpmind__blocks", *e.blocks, static_cast<double>(e.device.sm_count), "count"}});
}

MaybeCause few_threads(Evidence e) {
  if (!e.threads || e.device.sm_count == 0) return std::nullopt;
  const double filled =
      *e.threads / (static_cast<double>(e.device.sm_count) * e.device.threads_per_sm);
  if (filled >= kEnoughThreads) return std::nullopt;
  const double rest = std::max(filled / kEnoughThreads, e.busy.busiest());
  return cause(
      BottleneckClass::low_parallelism, 1 - rest, e.has_counters() ? 0.8 : 0.4,
      count_text(*e.threads) + " threads are " + percent(filled) +
          " of what the device holds, too few to hide the latency of memory",
      {{"warpmind__threads_pct_of_device", 100 * filled, 100 * kEnoughThreads, "percent"}});
}

MaybeCause parallelism(Evidence e) {
  auto blocks = few_blocks(e);
  auto threads = few_threads(e);
  // Idle multiprocessors are the plainer of two reasons that cost alike.
  constexpr double kClearlyMore = 0.1;
  if (!blocks || (threads && threads->share > blocks->share + kClearlyMore)) return threads;
  return blocks;
}

/// Part of the warps' places that stay empty while the launch runs, of those that its registers
/// and shared memory leave. nullopt = not counted.
std::optional<double> empty_places(Evidence e) {
  const auto active = e.get(metric_names::kWarpsActivePct);
  const auto fits = e.get(metric_names::kOccupancyPct);
  const auto busy = e.get(metric_names::kCyclesActive);
  const auto elapsed = e.get(metric_names::kCyclesElapsed);
  if (!active || !fits || *fits <= 0 || !busy || !elapsed || *elapsed <= 0) return std::nullopt;
  return std::clamp(1 - *active / *fits * std::min(1.0, *busy / *elapsed), 0.0, 1.0);
}

/// Filled places if all blocks took equally long.
double filled_by_waves(double count) { return count / std::ceil(count); }

MaybeCause wave_tail(Evidence e) {
  const double count = waves(e);
  if (count <= 1) return std::nullopt;
  const double idle = 1 - filled_by_waves(count);
  const auto empty = empty_places(e);
  const double seen = std::min(idle, empty.value_or(idle));
  const double rest = std::max(1 - seen, e.busy.busiest());
  return cause(BottleneckClass::wave_tail, 1 - rest, empty ? 0.8 : 0.4,
               count_text(*e.blocks) + " blocks fill the device " + fixed(count, 2) +
                   " times: the last wave leaves " + percent(std::ceil(count) - count) +
                   " of it empty",
               {{metric_names::kWaves, count, std::floor(count), "ratio"}});
}

MaybeCause load_imbalance(Evidence e) {
  const double count = waves(e);
  const auto empty = empty_places(e);
  const auto time = e.time_ns();
  if (count <= 0 || !empty || !time) return std::nullopt;
  const double expected = filled_by_waves(std::max(count, 1e-9));
  // Blocks start and end one after the other: a launch's worth of time, and a microsecond each.
  const double wave_ns = *time / std::ceil(count);
  const double edges = std::min(1.0, e.launch_ns() / *time + 1000 / wave_ns);
  const double lost = 1 - (1 - *empty) / expected - edges;
  if (lost <= 0) return std::nullopt;
  const double rest = std::max(1 - lost, e.busy.busiest());
  return cause(BottleneckClass::load_imbalance, 1 - rest, 0.6,
               "blocks end at different times: " + percent(lost) +
                   " of the warps' places stand empty, beyond those that the grid cannot fill",
               {{"warpmind__empty_places_pct", 100 * *empty, 100 * (1 - expected), "percent"}});
}

/// Sectors of one kind of access, beside those that hold what is asked for.
struct SectorUse {
  double requests = 0;
  double sectors = 0;
  double needed = 0;
  [[nodiscard]] double extra() const { return std::max(0.0, sectors - needed); }
};

SectorUse sector_use(Evidence e, const char* sectors, const char* requests, const char* bytes) {
  SectorUse use;
  use.sectors = e.or_zero(sectors);
  use.requests = e.or_zero(requests);
  // Without a count of bytes all lanes are taken to ask for as much as the kernel's widest access.
  const double asked = e.get(bytes).value_or(use.requests * kWarpLanes * e.widest_access_bytes);
  use.needed = std::max(use.requests, asked / kSectorBytes);
  return use;
}

SectorUse loads_of(Evidence e) {
  return sector_use(e, metric_names::kLoadSectors, metric_names::kLoadRequests,
                    metric_names::kLoadBytes);
}
SectorUse stores_of(Evidence e) {
  return sector_use(e, metric_names::kStoreSectors, metric_names::kStoreRequests,
                    metric_names::kStoreBytes);
}

double global_l1(Evidence e) { return e.busy.l1 - e.busy.l1_shared; }

/// Part of the time that goes to global memory, whichever level it waits for.
double memory_time(Evidence e) {
  return std::max({e.busy.dram, e.busy.l2, global_l1(e), e.warps.global_memory});
}

double local_sectors(Evidence e) {
  return e.or_zero(metric_names::kLocalLoadSectors) + e.or_zero(metric_names::kLocalStoreSectors);
}

/// Part of the sectors that are of local memory.
double local_share(Evidence e) {
  const double local = local_sectors(e);
  const double all =
      local + e.or_zero(metric_names::kLoadSectors) + e.or_zero(metric_names::kStoreSectors);
  return all > 0 ? local / all : 0;
}

/// Of what the launch needs, what it moves from and to DRAM: below 1 where it moves more.
double needed_share(Evidence e) {
  const auto moved = e.moved_bytes();
  if (!moved || !e.needed_bytes || *moved <= 0) return 1;
  return std::min(1.0, *e.needed_bytes / *moved);
}

MaybeCause uncoalesced(Evidence e) {
  const SectorUse loads = loads_of(e);
  const SectorUse stores = stores_of(e);
  const double all = loads.sectors + stores.sectors;
  if (all <= 0) return std::nullopt;
  const double extra = (loads.extra() + stores.extra()) / all;
  const double rest = std::max(1 - memory_time(e) * extra, e.busy.dram * needed_share(e));
  const bool of_stores = stores.extra() > loads.extra();
  const SectorUse& worse = of_stores ? stores : loads;
  if (worse.requests <= 0) return std::nullopt;
  const double each = worse.sectors / worse.requests;
  const double needed = worse.needed / worse.requests;
  const std::string name = of_stores ? "store" : "load";
  return cause(BottleneckClass::uncoalesced_access, 1 - rest, e.has_counters() ? 0.85 : 0.5,
               "each " + name + " of a warp touches " + significant(each, 3) + " sectors where " +
                   significant(needed, 3) + " would do",
               {{"warpmind__sectors_per_" + name + "_request", each, needed, "ratio"}});
}

MaybeCause extra_traffic(Evidence e) {
  if (!e.needed_bytes || *e.needed_bytes <= 0) return std::nullopt;
  struct Level {
    const char* name;
    const char* metric;
    double moved;
    double time;  ///< share that goes to it
  };
  const SectorUse loads = loads_of(e);
  const SectorUse stores = stores_of(e);
  const double asked =
      std::min(loads.sectors, loads.needed) + std::min(stores.sectors, stores.needed);
  const std::array<Level, 3> levels{{
      {"DRAM", "warpmind__traffic_ratio", e.moved_bytes().value_or(0),
       std::max(e.busy.dram, std::min(e.warps.global_memory, 1.2 * e.busy.dram))},
      {"L2", "warpmind__l2_traffic_ratio", l2_bytes(e.profile).value_or(0), e.busy.l2},
      {"L1", "warpmind__l1_traffic_ratio", kSectorBytes * asked, global_l1(e)},
  }};
  MaybeCause worst;
  for (const auto& level : levels) {
    const double factor = level.moved / *e.needed_bytes;
    if (factor <= 1) continue;
    const double share = level.time * (1 - 1 / factor) * (1 - local_share(e));
    if (worst && worst->share >= share) continue;
    worst = cause(BottleneckClass::extra_traffic, share, e.has_counters() ? 0.75 : 0.4,
                  "moves " + times(factor) + " the bytes it needs through " + level.name,
                  {{level.metric, factor, 1, "ratio"}});
  }
  return worst;
}

MaybeCause bandwidth(Evidence e) {
  const double needed = needed_share(e);
  if (e.busy.dram < 0.5 || needed < 0.6) return std::nullopt;
  const double share = e.busy.dram - std::max({e.busy.l1, e.busy.pipes(), 0.5});
  return cause(
      BottleneckClass::memory_bandwidth, share, 0.8,
      "DRAM is " + percent(e.busy.dram) + " busy with bytes that have to move",
      {{metric_names::kDramPct, e.or_zero(metric_names::kDramPct), std::nullopt, "percent"}});
}

/// Part of the time in which no unit is full: only latency keeps the launch from ending.
double waiting_time(Evidence e) { return std::max(0.0, 1 - e.busy.busiest() / kFull); }

MaybeCause latency(Evidence e) {
  if (!e.has_counters() || (!e.warps.known && e.busy.busiest() <= 0)) return std::nullopt;
  // A little is lost however many loads are in flight; without a count most waits are for loads.
  constexpr double kHidable = 0.9;
  constexpr double kTypicalWait = 0.7;
  const double waits = e.warps.known ? e.warps.global_memory : kTypicalWait;
  const double share = kHidable * waiting_time(e) * std::max(waits, 0.0);
  return cause(BottleneckClass::memory_latency, share, e.warps.known ? 0.75 : 0.4,
               "warps wait " +
                   (e.warps.known ? percent(waits) + " of their time " : std::string()) +
                   "for loads while no unit is more than " + percent(e.busy.busiest()) + " busy",
               {{"warpmind__load_wait_pct", 100 * waits, std::nullopt, "percent"},
                {"warpmind__busiest_unit_pct", 100 * e.busy.busiest(), std::nullopt, "percent"}});
}

MaybeCause occupancy(Evidence e) {
  const auto fits = e.get(metric_names::kOccupancyPct);
  if (!fits || *fits <= 0 || *fits >= 100 * kEnoughWarps) return std::nullopt;
  if (waves(e) < 1) return std::nullopt;  // more places would stay empty
  const double rest = std::max(*fits / 100 / kEnoughWarps, e.busy.busiest());
  const double hidden = e.warps.known
                            ? std::min(1.0, e.warps.global_memory + e.warps.shared_memory +
                                                e.warps.dependency + e.warps.barrier)
                            : 0.5;
  return cause(
      BottleneckClass::low_occupancy, (1 - rest) * hidden, e.has_counters() ? 0.65 : 0.35,
      "registers and shared memory leave room for " + percent(*fits / 100) + " of the warps",
      {{metric_names::kOccupancyPct, *fits, 100 * kEnoughWarps, "percent"}});
}

MaybeCause barriers(Evidence e) {
  if (e.warps.barrier <= 0) return std::nullopt;
  const double rest = std::max(1 - e.warps.barrier, e.busy.busiest());
  return cause(BottleneckClass::synchronisation, 1 - rest, 0.7,
               "warps wait " + percent(e.warps.barrier) + " of their time at barriers and fences",
               {{"warpmind__barrier_wait_pct", 100 * e.warps.barrier, 0, "percent"}});
}

MaybeCause atomics(Evidence e) {
  if (e.busy.atomics <= 0) return std::nullopt;
  // Lanes that meet at one address take turns there, which leaves the slice's input idle: where
  // nothing else comes near, all of the time is theirs.
  const double others = std::max({e.busy.dram, e.busy.l1, e.busy.pipes()});
  const bool alone = e.busy.atomics > 0.1 && e.busy.atomics > 2 * others;
  const double taken = alone ? 1.0 : e.busy.atomics;
  const double rest = std::max(1 - taken, others);
  return cause(BottleneckClass::synchronisation, 1 - rest, alone ? 0.7 : 0.8,
               "atomics take turns in L2: its busiest slice works " + percent(e.busy.atomics) +
                   " of the time, all other units less than " + percent(others),
               {{metric_names::kAtomicsPct, 100 * e.busy.atomics, 0, "percent"}});
}

/// Time that shared memory takes, by its work and by what waits for it.
double shared_time(Evidence e) {
  const double waits = std::min(e.warps.shared_memory, 1 - e.busy.dram);
  return std::max(e.busy.l1, waits);
}

MaybeCause shared_atomics(Evidence e) {
  const double all = e.or_zero(metric_names::kSharedWavefronts);
  const double mine = e.or_zero(metric_names::kSharedAtomicWavefronts);
  if (all <= 0 || mine <= 0) return std::nullopt;
  return cause(BottleneckClass::synchronisation, shared_time(e) * std::min(1.0, mine / all), 0.6,
               "atomics in shared memory take " + percent(mine / all) + " of its accesses",
               {{"warpmind__shared_atomics_pct", 100 * mine / all, 0, "percent"}});
}

MaybeCause synchronisation(Evidence e) {
  MaybeCause worst;
  for (auto one : {barriers(e), atomics(e), shared_atomics(e)}) {
    if (one && (!worst || one->share > worst->share)) worst = std::move(one);
  }
  return worst;
}

MaybeCause bank_conflicts(Evidence e) {
  const double conflicts = std::max(
      0.0, e.or_zero(metric_names::kBankConflicts) - e.or_zero(metric_names::kAtomicBankConflicts));
  const double all = e.get(metric_names::kSharedWavefronts)
                         .value_or(e.or_zero(metric_names::kModelledSharedWavefronts));
  if (conflicts <= 0 || all <= conflicts) return std::nullopt;
  const double extra = conflicts / all;
  return cause(BottleneckClass::shared_bank_conflicts, shared_time(e) * extra, 0.75,
               "bank conflicts make an access to shared memory " + times(all / (all - conflicts)) +
                   " as long",
               {{"warpmind__shared_access_ratio", all / (all - conflicts), 1, "ratio"}});
}

struct Pipe {
  const char* name;
  const char* metric;
  double busy;
};

/// Else `busy.issue` stands for the busiest of all pipes, as in the simulator.
bool counts_issue(Evidence e) { return e.get(metric_names::kIssuePct).has_value(); }

MaybeCause compute(Evidence e) {
  const std::array<Pipe, 6> pipes{{
      {"the multiply-add pipe", "warpmind__fma_pipe_pct", e.busy.fma},
      {"the integer and logic pipe", "warpmind__alu_pipe_pct", e.busy.alu},
      {"the double-precision pipe", "warpmind__fp64_pipe_pct", e.busy.fp64},
      {"the pipe of special functions and conversions", "warpmind__special_pipe_pct",
       e.busy.special},
      {"the tensor pipe", "warpmind__tensor_pipe_pct", e.busy.tensor},
      {counts_issue(e) ? "the issue of instructions" : "the busiest pipe", "warpmind__issue_pct",
       e.busy.issue},
  }};
  const Pipe* most = pipes.data();
  for (const auto& pipe : pipes) {
    if (pipe.busy > most->busy) most = &pipe;
  }
  if (most->busy <= 0) return std::nullopt;
  const double rest = std::max({e.busy.dram, e.busy.atomics, 0.25});
  return cause(BottleneckClass::compute_throughput, most->busy - rest, 0.75,
               std::string(most->name) + " is " + percent(most->busy) + " busy",
               {{most->metric, 100 * most->busy, std::nullopt, "percent"}});
}

/// Where the contract does not say so, by the arithmetic for each byte: sums and pointwise work in
/// 16 bits stay far below it.
bool is_contraction(Evidence e) {
  constexpr double kFlopsPerByte = 12;
  if (e.task.contract.tolerance == ToleranceClass::contraction) return true;
  return e.limit.bytes > 0 && e.limit.flops >= kFlopsPerByte * e.limit.bytes;
}

MaybeCause tensor_idle(Evidence e) {
  const ArithmeticPeak peak = arithmetic_peak(e.task, e.device);
  if (peak.name.find("tensor") == std::string_view::npos) return std::nullopt;
  if (!is_contraction(e)) return std::nullopt;
  // A count of tensor instructions would not do: an H200 counts one a warp without any.
  const auto busy = e.get(metric_names::kTensorPct);
  if (!busy || *busy > kTensorIdlePct) return std::nullopt;
  const double slower = e.device.fp32_tflops > 0 ? e.device.fp32_tflops / peak.tflops : 0.125;
  const double rest = std::max({slower, e.limit_share(), e.busy.dram * needed_share(e)});
  return cause(BottleneckClass::tensor_cores_idle, 1 - rest, 0.9,
               "a contraction that may use " + std::string(peak.name) + " and does not",
               {{metric_names::kTensorPct, *busy, std::nullopt, "percent"}});
}

MaybeCause spills(Evidence e) {
  const double bytes = e.or_zero(metric_names::kSpillBytes);
  const bool counted = e.get(metric_names::kLocalLoadSectors).has_value();
  const double share = counted ? memory_time(e) * local_share(e) : std::min(0.3, bytes / 2048);
  const std::string what =
      bytes > 0 ? count_text(bytes) + " bytes of registers a thread are spilled to memory"
                : std::string("an array that is indexed at run time lies in local memory");
  return cause(BottleneckClass::register_spills, share, counted ? 0.75 : 0.35,
               counted ? what + ", " + percent(local_share(e)) + " of all sectors" : what,
               {{metric_names::kSpillBytes, bytes, 0, "bytes"}});
}

MaybeCause divergence(Evidence e) {
  const auto lanes = e.get(metric_names::kLanes);
  if (!lanes || *lanes <= 0 || *lanes >= kWarpLanes) return std::nullopt;
  const double idle = 1 - *lanes / kWarpLanes;
  const double rest = std::max(1 - idle, e.busy.dram);
  const double computing = std::max(e.busy.issue, 1 - e.warps.global_memory - e.warps.barrier);
  return cause(BottleneckClass::thread_divergence, std::min(1 - rest, idle * computing), 0.7,
               "an instruction works for " + significant(*lanes, 3) + " of 32 threads",
               {{metric_names::kLanes, *lanes, kWarpLanes, "ratio"}});
}

constexpr std::array kEstimates{parallelism,     wave_tail,      load_imbalance, uncoalesced,
                                extra_traffic,   bandwidth,      latency,        occupancy,
                                synchronisation, bank_conflicts, compute,        tensor_idle,
                                spills,          divergence};

/// All launches but the first could be none.
Cause launch_overhead(Evidence e, double launches) {
  const double each = *e.plan_time_ns / launches;
  const double empty = std::min(e.launch_ns(), each);
  return cause(BottleneckClass::launch_overhead, (launches - 1) * empty / *e.plan_time_ns, 0.8,
               count_text(launches) + " launches of " + fixed(each / 1e3, 1) +
                   " µs each, where an empty one takes " + fixed(empty / 1e3, 1) + " µs",
               {{"warpmind__time_per_launch_ns", each, std::nullopt, "ns"}});
}

/// What costs less of the plan's time is not worth a word.
constexpr double kWorthSaying = 0.03;

}  // namespace

std::vector<Cause> causes_of(const LaunchEvidence& launch) {
  std::vector<Cause> causes;
  for (const auto estimate : kEstimates) {
    auto one = estimate(launch);
    if (!one) continue;
    one->share = std::min(one->share, 1 - launch_share(launch));
    one->kernel = launch.profile.kernel;
    if (launch.modelled) one->confidence *= 0.8;
    if (one->share > 0) causes.push_back(std::move(*one));
  }
  return causes;
}

std::vector<Cause> causes_of_plan(const std::vector<LaunchEvidence>& launches) {
  std::vector<Cause> sums;
  std::vector<double> largest;  // loss of the launch that each is told of
  for (const auto& launch : launches) {
    for (auto& one : causes_of(launch)) {
      const double loss = one.share * launch.time_share;
      const auto known = std::find_if(sums.begin(), sums.end(),
                                      [&](const Cause& sum) { return sum.which == one.which; });
      const auto at = static_cast<std::size_t>(known - sums.begin());
      if (known == sums.end()) {
        one.share = loss;
        sums.push_back(std::move(one));
        largest.push_back(loss);
        continue;
      }
      const double sum = known->share + loss;
      if (loss > largest[at]) {
        *known = std::move(one);
        largest[at] = loss;
      }
      known->share = sum;
    }
  }
  const LaunchEvidence& first = launches.front();
  if (launches.size() > 1 && first.plan_time_ns && *first.plan_time_ns > 0) {
    sums.push_back(launch_overhead(first, static_cast<double>(launches.size())));
  }
  for (auto& one : sums) {
    one.share = std::min(one.share, 1 - first.limit_share());  // nothing saves what the limit asks
    one.at_stake_ns = one.share * first.plan_time_ns.value_or(0);
  }
  sums.erase(std::remove_if(sums.begin(), sums.end(),
                            [](const Cause& one) { return one.share < kWorthSaying; }),
             sums.end());
  std::stable_sort(sums.begin(), sums.end(),
                   [](const Cause& a, const Cause& b) { return a.share > b.share; });
  return sums;
}

}  // namespace warpmind::agents
