#include "clients/cli/report/flops_report.h"

#include "clients/cli/report/table.h"
#include "clients/cli/report/units.h"

#include <cmath>
#include <map>

namespace warpmind::clients {
namespace {

using daemon::protocol::CountedKernel;
using daemon::protocol::CountedLaunch;
using daemon::protocol::CountedRegion;
using daemon::protocol::FlopsCountResult;
using Named = std::map<std::string, double>;

/// Shares of a warp's matrix instruction need not be whole.
std::string number_text(double value) {
  return std::abs(value) < 9e15 ? format_count(std::llround(value)) : std::to_string(value);
}

double of(const Named& values, const char* name) {
  const auto found = values.find(name);
  return found == values.end() ? 0 : found->second;
}

std::string flops_text(const Named& flops) {
  std::string text;
  for (const auto& [type, value] : flops) {
    text += (text.empty() ? "" : ", ") + number_text(value) + " " + clean_line(type);
  }
  return text.empty() ? "0" : text;
}

/// "f32_fma 64, load_global 128": what is no bookkeeping.
std::string operations_text(const Named& operations) {
  std::string text;
  for (const auto& [name, value] : operations) {
    if (name == "control" || name == "move" || name == "load_other") continue;
    text += (text.empty() ? "" : ", ") + clean_line(name) + " " + number_text(value);
  }
  return text;
}

std::string place_of(const CountedKernel& kernel, std::size_t index) {
  const CountedRegion& region = kernel.regions[index];
  std::size_t depth = 0;
  for (auto parent = region.parent; parent >= 0 && depth < kernel.regions.size(); ++depth) {
    parent = static_cast<std::size_t>(parent) < kernel.regions.size()
                 ? kernel.regions[static_cast<std::size_t>(parent)].parent
                 : -1;
  }
  std::string text(2 * depth, ' ');
  text += depth == 0 ? "outside loops" : "a pass of the loop";
  if (region.first_line > 0) {
    text += ", line " + std::to_string(region.first_line);
    if (region.last_line > region.first_line) text += " to " + std::to_string(region.last_line);
  }
  return text;
}

std::string kernel_text(const CountedKernel& kernel, const Style& style) {
  const std::string origin = kernel.source == CountSource::sass ? "machine code" : "PTX";
  std::string text =
      "\n" + style.paint.strong(clean_line(kernel.kernel)) + "  " + origin + ", one thread\n";
  Table table({Align::left, Align::left, Align::left});
  table.add({"where", "flops", "operations"});
  for (std::size_t i = 0; i < kernel.regions.size(); ++i) {
    table.add({place_of(kernel, i), flops_text(kernel.regions[i].flops),
               operations_text(kernel.regions[i].operations)});
  }
  text += table.render(2);
  for (const auto& note : kernel.notes) {
    text += wrap("note: " + clean_line(note), 2, style.columns);
  }
  return text;
}

std::string launch_text(const CountedLaunch& launch) {
  if (!launch.undecided.empty()) return "unknown";
  return (launch.sampled ? "about " : "") + number_text(launch.total_flops) +
         (launch.simulated ? " (simulated)" : "");
}

std::string launches_text(const FlopsCountResult& result, const Style& style) {
  Table table({Align::left, Align::left, Align::right, Align::right, Align::right, Align::right});
  table.add({"workload", "kernel", "flops", "tensor", "loads", "stores"});
  for (const auto& launch : result.launches) {
    const bool known = launch.undecided.empty();
    const auto cell = [&](double value) { return known ? number_text(value) : std::string("-"); };
    table.add({clean_line(launch.workload), clean_line(launch.kernel), launch_text(launch),
               cell(of(launch.flops, "tensor")), cell(of(launch.operations, "load_global")),
               cell(of(launch.operations, "store_global"))});
  }
  std::string text = "\n" + table.render(0);
  for (const auto& launch : result.launches) {
    if (launch.undecided.empty()) continue;
    text += wrap(clean_line(launch.kernel) + " on '" + clean_line(launch.workload) +
                     "' cannot be counted: " + clean_line(launch.undecided),
                 0, style.columns);
  }
  return text;
}

std::string shape_text(const std::array<std::uint32_t, 3>& extents) {
  std::string text = std::to_string(extents[0]);
  for (std::size_t axis = 1; axis < 3 && (extents[1] > 1 || extents[2] > 1); ++axis) {
    if (axis == 2 && extents[2] == 1) break;
    text += "×" + std::to_string(extents[axis]);
  }
  return text;
}

/// Of a program: a row for launches that differ in nothing but their buffers.
std::string program_text(const FlopsCountResult& result, const Style& style) {
  Table table({Align::left, Align::right, Align::right, Align::right, Align::right, Align::right});
  table.add({"kernel", "grid", "block", "times", "flops of one", "of all"});
  for (const auto& launch : result.launches) {
    const double all = launch.total_flops * static_cast<double>(launch.times);
    table.add({clean_line(launch.kernel), shape_text(launch.grid), shape_text(launch.block),
               number_text(static_cast<double>(launch.times)), launch_text(launch),
               launch.undecided.empty() ? number_text(all) : "unknown"});
  }
  std::string text = "\n" + table.render(0);
  for (const auto& launch : result.launches) {
    if (launch.undecided.empty()) continue;
    text += wrap(clean_line(launch.kernel) + " cannot be counted: " + clean_line(launch.undecided),
                 0, style.columns);
  }
  double known = 0;
  bool complete = true;
  for (const auto& sum : result.workloads) {
    known += sum.total_flops;
    complete = complete && sum.complete;
  }
  return text + (complete ? "all launches: " : "launches that were counted: ") +
         number_text(known) + " flops\n";
}

/// Launches of a program have a shape, those of a task a workload.
bool is_program(const FlopsCountResult& result) {
  return !result.launches.empty() && result.launches.front().workload.empty();
}

std::string sums_text(const FlopsCountResult& result) {
  Table table({Align::left, Align::right, Align::right, Align::right});
  table.add({"workload", "counted flops", "the task's model", "counted / model"});
  for (const auto& sum : result.workloads) {
    const bool both = sum.complete && sum.model_flops > 0;
    table.add({clean_line(sum.workload), sum.complete ? number_text(sum.total_flops) : "unknown",
               number_text(sum.model_flops),
               both ? format_ratio(sum.total_flops / sum.model_flops) : "-"});
  }
  return "\n" + table.render(0);
}

}  // namespace

std::string render_flops(const FlopsCountResult& result, const Style& style) {
  std::string text = result.name.empty() ? "" : style.paint.strong(clean_line(result.name)) + ", ";
  text += "counted from code for " + clean_line(result.architecture) + "; no GPU was used\n";
  if (!result.note.empty()) text += wrap("note: " + clean_line(result.note), 0, style.columns);
  if (is_program(result)) {
    text += program_text(result, style);
  } else if (!result.launches.empty()) {
    text += launches_text(result, style) + sums_text(result);
  }
  for (const auto& kernel : result.kernels) text += kernel_text(kernel, style);
  return text;
}

}  // namespace warpmind::clients
