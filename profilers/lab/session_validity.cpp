#include "profilers/lab/session_validity.h"

#include "base/model/metric_names.h"
#include "base/process_stat.h"
#include "base/sequence.h"
#include "profilers/statistics.h"
#include "profilers/worker/nvml.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <memory>
#include <unistd.h>

namespace warpmind::profilers {
namespace {

constexpr double kClockBand = 0.02;
constexpr double kCappedClockBand = 0.10;
constexpr double kLeastClockShare = 0.75;
constexpr double kAloneBand = 0.02;
constexpr double kFloorShare = 0.9;  ///< below, a time is impossible
/// Counters are read at other clocks and with other caches than times.
constexpr double kHiddenShare = 0.5;
constexpr double kHiddenNs = 5000;
/// Longest chain of parents that is followed: pids are finite, /proc may change under the walk.
constexpr int kMostAncestors = 64;

std::string rounded(double value) { return std::to_string(std::llround(value)); }

std::string percent(double share) { return rounded(100 * share) + " %"; }

std::optional<std::string> find_clock_step(const RunnerReport& report) {
  const std::vector<double>& clocks = report.block_clocks_mhz;
  if (clocks.empty()) return std::nullopt;
  const double middle = median_of(clocks);
  const auto [low, high] = std::minmax_element(clocks.begin(), clocks.end());
  const double band = report.power_capped ? kCappedClockBand : kClockBand;
  if (*low < (1 - band) * middle || *high > (1 + band) * middle) {
    return "the SM clock went from " + rounded(*low) + " to " + rounded(*high) +
           " MHz during the session (median " + rounded(middle) +
           "); let the device cool, or lock its clock with `nvidia-smi -lgc`";
  }
  const double best = report.max_sm_clock_mhz;
  if (!report.power_capped && *low < kLeastClockShare * best) {
    return "the SM clock was " + rounded(*low) + " MHz, below " + percent(kLeastClockShare) +
           " of the device's " + rounded(best) +
           " MHz; unlock it with `nvidia-smi -rgc`, or find out what slows the device";
  }
  return std::nullopt;
}

std::optional<std::string> find_slowed_incumbent(const RunnerReport& report) {
  const double alone = report.incumbent_alone_ns;
  if (alone <= 0) return std::nullopt;
  std::vector<double> beside = incumbent_blocks(report.quads);
  if (beside.empty()) return std::nullopt;
  const double now = median_of(std::move(beside));
  if (std::abs(now / alone - 1) <= kAloneBand) return std::nullopt;
  return "the kernel to beat took " + rounded(now) + " ns a run beside the candidate and " +
         rounded(alone) + " ns alone: something else changes how fast the device is";
}

std::vector<double> blocks_of(const std::vector<QuadSample>& quads,
                              std::vector<double> QuadSample::*side) {
  std::vector<double> blocks;
  for (const QuadSample& quad : quads) {
    blocks.insert(blocks.end(), (quad.*side).begin(), (quad.*side).end());
  }
  return blocks;
}

bool is_usable(double ns) { return std::isfinite(ns) && ns > 0; }

bool descends_from(std::int64_t pid, std::int64_t ancestor, const ParentOf& parent_of) {
  for (int i = 0; i < kMostAncestors && pid > 0; ++i) {
    if (pid == ancestor) return true;
    const auto parent = parent_of(pid);
    if (!parent) return false;
    pid = *parent;
  }
  return false;
}

std::optional<std::int64_t> parent_in_proc(std::int64_t pid) {
  const auto stat = process_stat(static_cast<pid_t>(pid));
  return stat ? std::optional<std::int64_t>(stat->parent) : std::nullopt;
}

}  // namespace

std::optional<std::string> find_void(const RunnerReport& report) {
  if (!report.throttle.empty()) return "the device throttled: " + report.throttle;
  if (auto step = find_clock_step(report)) return step;
  if (!report.incumbent_clocks_disagree.empty()) {
    return "two clocks disagree on the kernel to beat: " + report.incumbent_clocks_disagree;
  }
  if (!report.candidate_clocks_disagree.empty()) {
    return "two clocks disagree on the candidate: " + report.candidate_clocks_disagree;
  }
  return find_slowed_incumbent(report);
}

std::optional<std::string> find_foreign(const std::vector<std::int64_t>& on_device,
                                        std::int64_t own, const ParentOf& parent_of) {
  bool sees_ours = false;
  std::vector<std::int64_t> foreign;
  for (const std::int64_t pid : on_device) {
    if (descends_from(pid, own, parent_of)) {
      sees_ours = true;
    } else {
      foreign.push_back(pid);
    }
  }
  if (!sees_ours || foreign.empty()) return std::nullopt;
  std::string pids;
  for (const std::int64_t pid : foreign) {
    pids += (pids.empty() ? "" : ", ") + std::to_string(pid);
  }
  return (foreign.size() == 1 ? "another process computes on the device: pid "
                              : "other processes compute on the device: pids ") +
         pids + "; end it, or set lab.device to a device of its own";
}

std::optional<std::string> find_foreign(const DeviceProcesses& processes) {
  if (!processes) return std::nullopt;
  return find_foreign(processes(), ::getpid(), parent_in_proc);
}

DeviceProcesses processes_on(const std::string& uuid) {
  const std::shared_ptr<Nvml> nvml = Nvml::open(uuid);
  return [nvml] { return nvml ? nvml->compute_processes() : std::vector<std::int64_t>(); };
}

std::optional<std::string> find_impossible(const std::vector<double>& blocks_ns, double floor_ns) {
  const auto bad = std::find_if_not(blocks_ns.begin(), blocks_ns.end(), is_usable);
  const double time_ns = bad != blocks_ns.end() ? *bad : median_of(blocks_ns);
  if (!is_usable(time_ns)) return "the time of a run is not a positive number";
  if (time_ns >= kFloorShare * floor_ns) return std::nullopt;
  return "a run took " + rounded(time_ns) +
         " ns, but moving the task's bytes and doing its arithmetic takes this device at least " +
         rounded(floor_ns) + " ns: work is left out, or the task's cost model is wrong";
}

std::vector<double> candidate_blocks(const std::vector<QuadSample>& quads) {
  return blocks_of(quads, &QuadSample::candidate_ns);
}

std::vector<double> incumbent_blocks(const std::vector<QuadSample>& quads) {
  return blocks_of(quads, &QuadSample::incumbent_ns);
}

std::optional<std::string> find_hidden_work(const std::vector<KernelProfile>& kernels,
                                            double event_ns) {
  double profiled_ns = 0;
  for (const KernelProfile& kernel : kernels) {
    profiled_ns += kernel.find(metric_names::kTime).value_or(0);
  }
  if (profiled_ns <= (1 + kHiddenShare) * event_ns + kHiddenNs) return std::nullopt;
  return "the profiler saw " + rounded(profiled_ns) + " ns of kernels in a run that took " +
         rounded(event_ns) + " ns by events: work outside the timed stream";
}

}  // namespace warpmind::profilers
