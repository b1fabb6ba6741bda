#include "clients/cli/report/launch_table.h"

#include "base/kernel_name.h"
#include "base/model/metric_names.h"
#include "clients/cli/report/table.h"
#include "clients/cli/report/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace warpmind::clients {
namespace {

constexpr std::size_t kMostLaunches = 12;
constexpr std::size_t kMostLines = 10;
constexpr const char* kUnknown = "–";

std::string kernel_text(const LaunchRow& row) { return clip(clean_line(row.name), 32); }

/// "12.0 Mflop", "3.75 Tflop/s".
std::string in_thousands(double value, const char* unit) {
  static constexpr std::array kPrefixes = {" ", " k", " M", " G", " T", " P"};
  std::size_t at = 0;
  while (std::fabs(value) >= 999.5 && at + 1 < kPrefixes.size()) {
    value /= 1000;
    ++at;
  }
  return format_short(value) + kPrefixes.at(at) + unit;
}

/// "40.0 MiB DRAM, 78.7 GB/s".
std::string moved_text(const LaunchRow& row) {
  if (!row.bytes) return kUnknown;
  std::string text = format_bytes(*row.bytes) + " " + clean_line(row.memory);
  if (row.gb_per_s > 0) text += ", " + in_thousands(row.gb_per_s * 1e9, "B/s");
  return text;
}

std::string flops_text(const LaunchRow& row) {
  if (!row.flops) return kUnknown;
  std::string text = in_thousands(*row.flops, "flop");
  if (row.gflop_per_s > 0) text += ", " + in_thousands(row.gflop_per_s * 1e9, "flop/s");
  return text;
}

std::string percent(double value) { return format_percent_of(value / 100); }

std::string limit_text(const LaunchRow& row) {
  if (row.pipe.empty()) return kUnknown;
  const std::string busiest = clean_line(row.pipe) + " " + percent(row.pipe_percent);
  return row.limited_by == "latency" ? "latency (" + busiest + ")" : busiest;
}

std::string stall_text(const LaunchRow& row) {
  if (row.stall.empty()) return kUnknown;
  std::string text = clean_line(row.stall);
  if (row.stall_percent > 0) text += " " + percent(row.stall_percent);
  if (row.line > 0) text += ", line " + std::to_string(row.line);
  return text;
}

std::vector<std::string> cells_of(const std::string& plan, const LaunchRow& row) {
  return {kernel_text(row),
          plan,
          row.time_ns > 0 ? format_time(row.time_ns) : kUnknown,
          format_percent_of(row.time_share),
          moved_text(row),
          flops_text(row),
          limit_text(row),
          stall_text(row)};
}

/// How the top stalls were found; empty when no launch has any.
std::string stall_note(std::span<const LaunchChange> changes) {
  bool sampled = false;
  bool counted = false;
  for (const LaunchChange& change : changes) {
    for (const auto& row : {change.before, change.after}) {
      if (!row || row->stall.empty()) continue;
      (row->stall_origin == MetricOrigin::measured ? sampled : counted) = true;
    }
  }
  if (counted) return "waits for: share of the cycles that the simulator counted by line";
  return sampled ? "waits for: share of the samples of warps that did not issue" : "";
}

std::string pairing_note(std::span<const LaunchChange> changes) {
  const auto with = [&](PairedBy by) {
    return std::any_of(changes.begin(), changes.end(),
                       [by](const LaunchChange& change) { return change.paired_by == by; });
  };
  if (!with(PairedBy::time_share)) return {};
  return "launches of different kernels stand together by their share of the time";
}

/// "global memory 45.5 %, issue 4.81 %, 32 sectors a request", of a line.
std::string cost_text(const LineProfile& line, double& share) {
  std::string text;
  const auto add = [&text](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  for (const Metric& metric : line.metrics) {
    const std::string name = clean_line(metric.name);
    if (name == metric_names::kLineCyclesPct || name == metric_names::kLineSamplesPct) {
      share = metric.value;
      continue;
    }
    if (metric.value == 0) continue;
    constexpr std::string_view kCycles = metric_names::kLineCyclesPrefix;
    constexpr std::string_view kSamples = metric_names::kLineStalledPrefix;
    if (name == metric_names::kLineSectorsPerRequest) {
      add(format_short(metric.value) + " sectors a request");
    } else if (name == metric_names::kLineBankConflicts) {
      add(format_count(std::llround(metric.value)) + " bank conflicts");
    } else if (name == metric_names::kLineAtomicConflicts) {
      add(format_count(std::llround(metric.value)) + " atomics on an address in use");
    } else if (name.starts_with(kCycles)) {
      std::string cause = name.substr(kCycles.size(), name.size() - kCycles.size() - 4);
      std::replace(cause.begin(), cause.end(), '_', ' ');
      add(cause + " " + percent(metric.value));
    } else if (name.starts_with(kSamples)) {
      std::string reason = name.substr(kSamples.size());
      std::replace(reason.begin(), reason.end(), '_', ' ');
      add(reason + " " + format_count(std::llround(metric.value)));
    }
  }
  return text;
}

std::string lines_part(const Profile& profile, const Style& style) {
  if (profile.lines.empty()) return {};
  Table table({Align::left, Align::right, Align::right, Align::left});
  table.add({"kernel", "line", "share", "spent on"});
  for (std::size_t i = 0; i < std::min(profile.lines.size(), kMostLines); ++i) {
    const LineProfile& line = profile.lines[i];
    double share = 0;
    std::string cost = cost_text(line, share);
    table.add({clip(clean_line(readable_kernel_name(line.kernel)), 32), std::to_string(line.line),
               percent(share), std::move(cost)});
  }
  return "\n" + style.paint.strong("Lines") + "\n" + table.render(2, style.columns);
}

std::string metrics_part(const Profile& profile, const Style& style) {
  std::string text;
  for (const KernelProfile& launch : profile.kernels) {
    Table table({Align::left, Align::right});
    table.add({clean_line(readable_kernel_name(launch.kernel)), ""});
    for (const Metric& metric : launch.metrics) {
      if (metric.value == 0) continue;
      table.add({clean_line(metric.name), format_metric(metric.value, clean_line(metric.unit))});
    }
    text += table.render(2, style.columns);
  }
  return text.empty() ? text : "\n" + style.paint.strong("Metrics") + "\n" + text;
}

}  // namespace

std::string launch_table(std::span<const LaunchChange> changes, const PlanNames& names,
                         std::size_t columns) {
  using enum Align;
  Table table({left, left, right, right, left, left, left, left});
  table.add({"launch", "of", "time", "share", "moved", "computed", "limited by", "waits for"});
  for (const LaunchChange& change : changes.first(std::min(changes.size(), kMostLaunches))) {
    if (change.before) table.add(cells_of(names.before, *change.before));
    if (change.after) table.add(cells_of(names.after, *change.after));
  }
  if (table.rows() == 1) return {};
  std::string text = table.render(2, columns);
  if (changes.size() > kMostLaunches) {
    text += wrap("and " + std::to_string(changes.size() - kMostLaunches) +
                     " more launches that take less time (--json has all)",
                 2, columns);
  }
  for (const std::string& note : {stall_note(changes), pairing_note(changes)}) {
    if (!note.empty()) text += wrap(note, 2, columns);
  }
  return text;
}

std::string cache_text(const Profile& profile) {
  switch (profile.caches) {
    case CacheState::cold:
      return "caches cold: nothing of the data is in them when a launch begins";
    case CacheState::warm:
      return "caches warm: bytes and rates are those of a repeated run, while timing flushes L2";
    case CacheState::unknown: break;
  }
  return {};
}

std::string render_profile(const daemon::protocol::EpisodeProfileResult& result, bool all_metrics,
                           const Style& style) {
  const bool predicted = result.provider == Provider::sim;
  std::string text = style.paint.strong("Step " + std::to_string(result.step) + " of " +
                                        clean_line(result.job_id)) +
                     (predicted ? ", predicted" : ", measured") + ", tier " +
                     std::string(name_of(result.profile.tier)) + ", workload " +
                     clean_line(result.profile.workload) +
                     (result.made_now ? ", profiled now\n" : "\n");
  const PlanNames names{result.against ? "step " + std::to_string(*result.against) : "",
                        "step " + std::to_string(result.step)};
  for (const std::string& note :
       {cache_text(result.profile), clean_line(result.profile.note), clean_line(result.note)}) {
    if (!note.empty()) text += wrap(note, 2, style.columns);
  }
  text += "\n" + style.paint.strong("Launches") + "\n";
  const std::string table = launch_table(result.launches, names, style.columns);
  text += table.empty() ? "  none was profiled\n" : table;
  text += lines_part(result.profile, style);
  if (all_metrics) text += metrics_part(result.profile, style);
  return text;
}

}  // namespace warpmind::clients
