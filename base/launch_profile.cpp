#include "base/launch_profile.h"

#include "base/kernel_name.h"
#include "base/model/metric_names.h"
#include "base/text.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string_view>

namespace warpmind {
namespace {

constexpr double kSectorBytes = 32;
/// Shares of the time that differ by more are of launches with different work.
constexpr double kLikeShare = 4;
/// A warm profile whose DRAM saw less of L2's traffic than this was served from L2.
constexpr double kServedFromL2 = 0.1;
/// Of two pipes that are nearly as busy the one that is a part of the other is named.
constexpr double kAsBusy = 0.9;

/// The part of `name` between `prefix` and `suffix`, words apart; empty when it is not so built.
std::string words_between(std::string_view name, std::string_view prefix, std::string_view suffix) {
  if (name.size() <= prefix.size() + suffix.size() || !name.starts_with(prefix) ||
      !name.ends_with(suffix)) {
    return {};
  }
  return name_in_words(name.substr(prefix.size(), name.size() - prefix.size() - suffix.size()));
}

/// "long scoreboard" of a sampled line, "global memory" of a counted one. Warps that issue wait for
/// nothing, and samples "not issued" repeat the others.
std::string stall_of(std::string_view metric) {
  std::string words = words_between(metric, metric_names::kLineStalledPrefix, "");
  if (words.ends_with("not issued") || words == "selected") return {};
  return words.empty() ? words_between(metric, metric_names::kLineCyclesPrefix, "_pct") : words;
}

struct Stall {
  double weight = 0;
  double heaviest = 0;  ///< of one line
  int line = 0;
  MetricOrigin origin = MetricOrigin::measured;
};

void set_stall_by_line(const Profile& profile, LaunchRow& row) {
  std::map<std::string, Stall> stalls;
  double total = 0;
  for (const LineProfile& line : profile.lines) {
    if (line.kernel != row.kernel) continue;
    for (const Metric& metric : line.metrics) {
      const std::string reason = stall_of(metric.name);
      if (reason.empty() || !(metric.value > 0)) continue;
      total += metric.value;
      Stall& stall = stalls[reason];
      stall.weight += metric.value;
      stall.origin = metric.origin;
      if (metric.value <= stall.heaviest) continue;
      stall.heaviest = metric.value;
      stall.line = line.line;
    }
  }
  const auto top = std::max_element(stalls.begin(), stalls.end(), [](const auto& a, const auto& b) {
    return a.second.weight < b.second.weight;
  });
  if (top == stalls.end()) return;
  row.stall = top->first;
  row.stall_percent = 100 * top->second.weight / total;
  row.line = top->second.line;
  row.stall_origin = top->second.origin;
}

/// Without lines, the reason alone.
void set_average_stall(const KernelProfile& launch, LaunchRow& row) {
  double most = 0;
  for (const Metric& metric : launch.metrics) {
    const std::string reason =
        words_between(metric.name, metric_names::kStalledPrefix, metric_names::kStalledSuffix);
    if (reason.empty() || metric.value <= most) continue;
    most = metric.value;
    row.stall = reason;
    row.stall_origin = metric.origin;
  }
}

void set_bytes(const Profile& profile, const KernelProfile& launch, LaunchRow& row) {
  const auto value = [&launch](const char* name) { return launch.find(name); };
  const auto read = value(metric_names::kDramRead);
  if (read) {
    row.memory = "DRAM";
    row.bytes = *read + value(metric_names::kDramWritten).value_or(0);
    const double l2 = l2_bytes(launch).value_or(0);
    if (profile.caches == CacheState::warm && *row.bytes < kServedFromL2 * l2) {
      row.memory = "L2";
      row.bytes = l2;
    }
  } else if (const auto loaded = value(metric_names::kLoadBytes)) {
    row.memory = "requested";
    row.bytes = *loaded + value(metric_names::kStoreBytes).value_or(0);
  }
  if (row.bytes && row.time_ns > 0) row.gb_per_s = *row.bytes / row.time_ns;
}

void set_flops(const KernelProfile& launch, LaunchRow& row) {
  for (const char* name : {metric_names::kFlopsF16, metric_names::kFlopsF32,
                           metric_names::kFlopsF64, metric_names::kFlopsTensor}) {
    if (const auto flops = launch.find(name)) row.flops = row.flops.value_or(0) + *flops;
  }
  if (row.flops && row.time_ns > 0) row.gflop_per_s = *row.flops / row.time_ns;
}

void set_pipe(const KernelProfile& launch, LaunchRow& row) {
  struct Pipe {
    const char* name;
    const char* metric;
  };
  // DRAM is a part of what "caches" reports, tensor cores are one of "SM": they come first.
  static constexpr std::array kPipes = {
      Pipe{"DRAM", metric_names::kDramPct}, Pipe{"caches", metric_names::kMemoryPct},
      Pipe{"tensor cores", metric_names::kTensorPct}, Pipe{"SM", metric_names::kSmPct},
      Pipe{"atomics", metric_names::kAtomicsPct}};
  for (const Pipe& pipe : kPipes) {
    const auto percent = launch.find(pipe.metric);
    if (!percent || !(kAsBusy * *percent > row.pipe_percent)) continue;
    row.pipe = pipe.name;
    row.pipe_percent = *percent;
  }
  if (row.pipe.empty()) return;
  row.limited_by = row.pipe_percent < kLatencyBoundBelowPercent ? "latency" : row.pipe;
}

std::string kernel_of(const KernelProfile& launch) {
  return std::string(plain_name(readable_kernel_name(launch.kernel)));
}

using Launches = std::vector<const KernelProfile*>;

/// The longest first.
Launches by_time(std::span<const KernelProfile> launches) {
  Launches sorted;
  for (const KernelProfile& launch : launches) sorted.push_back(&launch);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->time_share > b->time_share; });
  return sorted;
}

/// Moves the launches that fit together from both lists to `pairs`.
void take_pairs(Launches& before, Launches& after, PairedBy by,
                const std::function<bool(const KernelProfile&, const KernelProfile&)>& fits,
                std::vector<LaunchPair>& pairs) {
  for (auto old = before.begin(); old != before.end();) {
    const auto found = std::find_if(after.begin(), after.end(), [&](const KernelProfile* launch) {
      return fits(**old, *launch);
    });
    if (found == after.end()) {
      ++old;
      continue;
    }
    pairs.push_back({*old, *found, by});
    after.erase(found);
    old = before.erase(old);
  }
}

double time_of(const LaunchPair& pair) {
  return (pair.before != nullptr ? pair.before->time_share : 0) +
         (pair.after != nullptr ? pair.after->time_share : 0);
}

}  // namespace

std::optional<double> l2_bytes(const KernelProfile& launch) {
  const auto read = launch.find(metric_names::kL2SectorsRead);
  if (!read) return std::nullopt;
  const auto written = launch.find(metric_names::kL2SectorsWritten);
  return kSectorBytes *
         (*read + (written ? *written : launch.find(metric_names::kStoreSectors).value_or(0)));
}

std::optional<LineSectors> line_sectors(const LineProfile& line) {
  std::optional<double> each;
  LineSectors sectors;
  for (const Metric& metric : line.metrics) {
    if (metric.name == metric_names::kLineSectorsPerRequest) each = metric.value;
    if (metric.name == metric_names::kLineNeededSectors) sectors.needed = metric.value;
  }
  if (!each) return std::nullopt;
  sectors.each = *each;
  return sectors;
}

LaunchRow launch_row(const Profile& profile, const KernelProfile& launch) {
  LaunchRow row;
  row.kernel = launch.kernel;
  row.name = readable_kernel_name(launch.kernel);
  row.time_share = launch.time_share;
  row.time_ns = launch.find(metric_names::kTime)
                    .value_or(launch.time_share * launch.find(metric_names::kPlanTime).value_or(0));
  set_bytes(profile, launch, row);
  set_flops(launch, row);
  set_pipe(launch, row);
  set_stall_by_line(profile, row);
  if (row.stall.empty()) set_average_stall(launch, row);
  return row;
}

std::vector<LaunchPair> pair_launches(std::span<const KernelProfile> before,
                                      std::span<const KernelProfile> after) {
  Launches old_ones = by_time(before);
  Launches new_ones = by_time(after);
  std::vector<LaunchPair> pairs;
  take_pairs(
      old_ones, new_ones, PairedBy::kernel,
      [](const auto& a, const auto& b) { return a.kernel == b.kernel; }, pairs);
  take_pairs(
      old_ones, new_ones, PairedBy::kernel,
      [](const auto& a, const auto& b) { return kernel_of(a) == kernel_of(b); }, pairs);
  take_pairs(
      old_ones, new_ones, PairedBy::time_share,
      [](const auto& a, const auto& b) {
        return a.time_share <= kLikeShare * b.time_share &&
               b.time_share <= kLikeShare * a.time_share;
      },
      pairs);
  for (const auto* launch : old_ones) pairs.push_back({launch, nullptr, PairedBy::none});
  for (const auto* launch : new_ones) pairs.push_back({nullptr, launch, PairedBy::none});
  std::stable_sort(pairs.begin(), pairs.end(), [](const LaunchPair& a, const LaunchPair& b) {
    return time_of(a) > time_of(b);
  });
  return pairs;
}

std::optional<LaunchPair> main_pair(std::span<const KernelProfile> before,
                                    std::span<const KernelProfile> after) {
  const auto pairs = pair_launches(before, after);
  const auto found = std::find_if(pairs.begin(), pairs.end(),
                                  [](const LaunchPair& pair) { return pair.by != PairedBy::none; });
  return found == pairs.end() ? std::nullopt : std::optional(*found);
}

std::vector<LaunchChange> launch_changes(const Profile* before, const Profile& after) {
  const std::span<const KernelProfile> none;
  std::vector<LaunchChange> changes;
  const auto pairs = pair_launches(before != nullptr ? before->kernels : none, after.kernels);
  for (const LaunchPair& pair : pairs) {
    LaunchChange& change = changes.emplace_back();
    if (pair.before != nullptr) change.before = launch_row(*before, *pair.before);
    if (pair.after != nullptr) change.after = launch_row(after, *pair.after);
    change.paired_by = pair.by;
  }
  return changes;
}

}  // namespace warpmind
