#include "base/model/metric_names.h"
#include "profilers/simulator/prediction/metrics.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace warpmind::simulator {
namespace {

constexpr double kSchedulers = 4;
constexpr double kSectorBytes = 32;

double number(std::uint64_t value) { return static_cast<double>(value); }

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
