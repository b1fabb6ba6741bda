#include "profilers/simulator/prediction/metrics.h"

#include "base/model/metric_names.h"

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>

namespace warpmind::simulator {
namespace {

constexpr double kSectorBytes = 32;

double number(std::uint64_t value) { return static_cast<double>(value); }

/// Sums over a launch's instructions, of the blocks that ran.
struct Counts {
  AccessCounters loads;   ///< global
  AccessCounters stores;  ///< global
  std::uint64_t local_sectors = 0;
  std::uint64_t shared_wavefronts = 0;
  std::uint64_t bank_conflicts = 0;
  std::uint64_t atomics = 0;
  std::uint64_t atomic_conflicts = 0;
  std::array<double, 5> flops{};  ///< by FlopKind
};

void add(AccessCounters& sum, const AccessCounters& one) {
  sum.requests += one.requests;
  sum.sectors += one.sectors;
  sum.bytes += one.bytes;
}

void count_access(const InstructionRecord& one, Counts& counts) {
  // cp.async counts as a load (seen on an H200); bulk copies go past these units.
  const bool is_bulk = std::string_view(one.opcode).starts_with("cp.async.bulk");
  if (is_atomic(one)) {
    counts.atomics += one.access.lanes;
    counts.atomic_conflicts += one.access.atomic_conflicts;
  } else if (touches_sectors(one)) {
    if (one.space == Space::local) {
      counts.local_sectors += one.access.sectors;
    } else if (!is_bulk) {
      add(one.is_store ? counts.stores : counts.loads, one.access);
    }
  }
  if (touches_banks(one)) {
    counts.shared_wavefronts += one.access.wavefronts;
    counts.bank_conflicts +=
        one.access.wavefronts - std::min(one.access.ideal_wavefronts, one.access.wavefronts);
  }
}

Counts count(const LaunchRecord& launch) {
  Counts counts;
  for (const auto& one : launch.instructions) {
    counts.flops.at(static_cast<std::size_t>(one.flop_kind)) += number(one.lanes) * one.flops;
    if (one.is_memory) count_access(one, counts);
  }
  return counts;
}

/// Appends metrics of one origin.
class MetricList {
 public:
  MetricList(std::vector<Metric>& out, MetricOrigin origin) : out_(out), origin_(origin) {}
  void add(std::string name, double value, std::string unit = "count") {
    out_.push_back({std::move(name), value, std::move(unit), origin_});
  }

 private:
  std::vector<Metric>& out_;
  MetricOrigin origin_;
};

void add_counted(const LaunchRecord& launch, std::vector<Metric>& out) {
  const double scale =
      launch.blocks_run > 0 ? number(launch.blocks) / number(launch.blocks_run) : 0;
  const bool whole =
      launch.blocks_run == launch.blocks && !launch.wave && launch.end == LaunchEnd::completed;
  MetricList list(out, whole ? MetricOrigin::exact : MetricOrigin::modelled);
  const Counts counts = count(launch);
  const auto sum = [&](std::string name, double value) {
    list.add(std::move(name), value * scale);
  };
  sum(metric_names::kLoadSectors, number(counts.loads.sectors));
  sum(metric_names::kLoadRequests, number(counts.loads.requests));
  sum(metric_names::kStoreSectors, number(counts.stores.sectors));
  sum(metric_names::kStoreRequests, number(counts.stores.requests));
  sum(metric_names::kLoadBytes, number(counts.loads.bytes));
  sum(metric_names::kStoreBytes, number(counts.stores.bytes));
  sum(metric_names::kBankConflicts, number(counts.bank_conflicts));
  sum(metric_names::kModelledSharedWavefronts, number(counts.shared_wavefronts));
  sum(metric_names::kLocalSectors, number(counts.local_sectors));
  constexpr std::array<const char*, 5> kFlops = {"", "f16", "f32", "f64", "tensor"};
  for (std::size_t kind = 1; kind < kFlops.size(); ++kind) {
    sum(std::string("warpmind__flops_") + kFlops.at(kind), counts.flops.at(kind));
  }
  sum(metric_names::kPtxWarpInstructions, number(launch.warp_instructions));
  sum("warpmind__ptx_thread_instructions", number(launch.thread_instructions));
  sum(metric_names::kBranches, number(launch.branches));
  sum(metric_names::kDivergentBranches, number(launch.divergent_branches));
  sum(metric_names::kBarriers, number(launch.barriers));
  sum(metric_names::kAtomics, number(counts.atomics));
  sum(metric_names::kAtomicConflicts, number(counts.atomic_conflicts));
  const double share = launch.blocks > 0 ? number(launch.blocks_run) / number(launch.blocks) : 0;
  list.add("warpmind__simulated_blocks_pct", 100 * share, "percent");
  if (launch.warp_instructions > 0) {
    MetricList modelled(out, MetricOrigin::modelled);
    modelled.add(metric_names::kLanes,
                 number(launch.thread_instructions) / number(launch.warp_instructions), "ratio");
  }
}

void add_traffic(const Prediction& prediction, const DeviceSpec& device, MetricList& list) {
  const MemoryUse& memory = prediction.memory;
  if (!memory.has_cache_rates) return;
  const double scale = prediction.scale;
  const double read = memory.dram_read_sectors * kSectorBytes * scale;
  const double written = memory.dram_write_sectors * kSectorBytes * scale;
  list.add(metric_names::kDramRead, read, "bytes");
  list.add(metric_names::kDramWritten, written, "bytes");
  const double peak = device.memory_bandwidth_gb_s * 1e3 * prediction.time_us;  // bytes
  list.add(metric_names::kDramPct, 100 * (read + written) / peak, "percent");
  const double reads = (memory.load_sectors - memory.l1_hits) * scale;
  list.add(metric_names::kL2SectorsRead, reads);
  list.add(metric_names::kL1Hits, 100 * memory.l1_hit_rate(), "percent");
  list.add(metric_names::kL2Hits, 100 * memory.l2_hit_rate(), "percent");
}

void add_pipes(const Prediction& prediction, const DeviceSpec& device, MetricList& list) {
  const double elapsed = prediction.time_us * prediction.clock_mhz;
  const auto use = [&](Resource resource) {
    return std::min(100.0, 100 * prediction.cycles[resource] / elapsed);
  };
  double compute = 0;
  for (const auto resource :
       {Resource::issue, Resource::fma, Resource::imad, Resource::alu, Resource::half,
        Resource::special, Resource::fp64, Resource::tensor, Resource::lsu}) {
    compute = std::max(compute, use(resource));
  }
  list.add(metric_names::kCyclesElapsed, elapsed);
  list.add(metric_names::kSmPct, compute, "percent");
  // DRAM's share is of the datasheet's bandwidth, as the counter's.
  const double dram = use(Resource::dram) * device.timing.dram_efficiency;
  list.add(metric_names::kMemoryPct, std::max({use(Resource::lsu), use(Resource::l2), dram}),
           "percent");
  list.add(metric_names::kTensorPct, use(Resource::tensor), "percent");
  list.add(metric_names::kAtomicsPct, use(Resource::atomics), "percent");
  list.add(metric_names::kInstructions, prediction.mix.instructions * prediction.scale);
  list.add(metric_names::kWarpsActivePct,
           std::min(100.0, 100 * prediction.active_warps / device.warps_per_sm), "percent");
}

double time_of(const KernelProfile& kernel) { return kernel.find(metric_names::kTime).value_or(0); }

}  // namespace

KernelProfile kernel_profile(const LaunchRecord& launch, const DeviceSpec& device,
                             const Prediction* prediction) {
  KernelProfile profile;
  profile.kernel = launch.kernel;
  if (prediction != nullptr) {
    MetricList list(profile.metrics, MetricOrigin::modelled);
    list.add(metric_names::kTime, prediction->time_us * 1000, "ns");
    add_pipes(*prediction, device, list);
    add_traffic(*prediction, device, list);
    list.add("warpmind__predicted_waves", prediction->waves, "ratio");
    list.add("warpmind__warp_cycles", prediction->warp_cycles);
  }
  add_counted(launch, profile.metrics);
  return profile;
}

void share_time(std::vector<KernelProfile>& kernels) {
  double total = 0;
  for (const auto& kernel : kernels) total += time_of(kernel);
  for (auto& kernel : kernels) {
    kernel.time_share =
        total > 0 ? time_of(kernel) / total : 1.0 / static_cast<double>(kernels.size());
  }
}

namespace {

constexpr double kSchedulers = 4;

/// Of one line, scaled to whole grids.
struct LineCounts {
  double cycles = 0;  ///< issue and load/store units of one multiprocessor that did it all
  std::map<std::string, double> cycles_by_cause = {};  ///< of those
  double instructions = 0;
  double executions = 0;
  double requests = 0;
  double sectors = 0;
  double bytes = 0;  ///< that lanes ask for in these requests
  double bank_conflicts = 0;
  bool uses_banks = false;
  double atomic_conflicts = 0;
  bool has_atomics = false;
};

using Line = std::pair<std::string, int>;

/// What the load/store cycles of an instruction go to.
std::string memory_cause(const InstructionRecord& one) {
  if (is_atomic(one)) return "atomics";
  if (one.space == Space::local) return "local_memory";
  return touches_banks(one) ? "shared_memory" : "global_memory";
}

void add(const InstructionRecord& one, double scale, const TimingModel& timing,
         LineCounts& counts) {
  const double executions = number(one.executions) * scale;
  counts.instructions += executions;
  counts.executions = std::max(counts.executions, executions);
  const auto spend = [&counts](const std::string& cause, double cycles) {
    counts.cycles += cycles;
    counts.cycles_by_cause[cause] += cycles;
  };
  spend("issue", executions * one.cost / kSchedulers);
  if (!one.is_memory) return;
  // A device without a time model still has lines: all but the cycles of memory.
  if (timing.lsu_lanes > 0) spend(memory_cause(one), access_cycles(one, timing) * scale);
  if (touches_sectors(one)) {
    counts.requests += number(one.access.requests) * scale;
    counts.sectors += number(one.access.sectors) * scale;
    counts.bytes += number(one.access.bytes) * scale;
  }
  if (touches_banks(one)) {
    counts.uses_banks = true;
    counts.bank_conflicts +=
        (number(one.access.wavefronts) -
         number(std::min(one.access.wavefronts, one.access.ideal_wavefronts))) *
        scale;
  }
  if (is_atomic(one)) {
    counts.has_atomics = true;
    counts.atomic_conflicts += number(one.access.atomic_conflicts) * scale;
  }
}

LineProfile profile_of(const Line& line, const LineCounts& counts, const LineCounts& total,
                       MetricOrigin origin) {
  LineProfile profile;
  profile.kernel = line.first;
  profile.line = line.second;
  const auto share = [](double part, double all) { return all > 0 ? 100 * part / all : 0; };
  profile.metrics = {
      {metric_names::kLineCyclesPct, share(counts.cycles, total.cycles), "percent",
       MetricOrigin::modelled},
      {"warpmind__line_instructions_pct", share(counts.instructions, total.instructions), "percent",
       origin},
      {"warpmind__line_executions", counts.executions, "count", origin},
  };
  for (const auto& [cause, cycles] : counts.cycles_by_cause) {
    profile.metrics.push_back({metric_names::kLineCyclesPrefix + cause + "_pct",
                               share(cycles, total.cycles), "percent", MetricOrigin::modelled});
  }
  if (counts.requests > 0) {
    profile.metrics.push_back(
        {metric_names::kLineSectorsPerRequest, counts.sectors / counts.requests, "ratio", origin});
    profile.metrics.push_back({metric_names::kLineNeededSectors,
                               std::max(1.0, counts.bytes / kSectorBytes / counts.requests),
                               "ratio", origin});
  }
  if (counts.uses_banks) {
    profile.metrics.push_back(
        {metric_names::kLineBankConflicts, counts.bank_conflicts, "count", origin});
  }
  if (counts.has_atomics) {
    profile.metrics.push_back(
        {metric_names::kLineAtomicConflicts, counts.atomic_conflicts, "count", origin});
  }
  return profile;
}

}  // namespace

std::vector<LineProfile> line_profiles(std::span<const LaunchRecord> launches,
                                       const DeviceSpec& device, std::size_t most) {
  std::map<Line, LineCounts> lines;
  LineCounts total;
  auto origin = MetricOrigin::exact;
  for (const auto& launch : launches) {
    if (launch.blocks_run == 0) continue;
    if (launch.blocks_run != launch.blocks) origin = MetricOrigin::modelled;
    const double scale = number(launch.blocks) / number(launch.blocks_run);
    for (const auto& one : launch.instructions) {
      add(one, scale, device.timing, total);
      if (one.source_line <= 0 || one.executions == 0) continue;
      add(one, scale, device.timing, lines[{launch.kernel, one.source_line}]);
    }
  }
  std::vector<std::pair<Line, LineCounts>> ranked(lines.begin(), lines.end());
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.second.cycles > b.second.cycles; });
  ranked.resize(std::min(ranked.size(), most));
  std::vector<LineProfile> profiles;
  profiles.reserve(ranked.size());
  for (const auto& [line, counts] : ranked) {
    profiles.push_back(profile_of(line, counts, total, origin));
  }
  return profiles;
}

}  // namespace warpmind::simulator
