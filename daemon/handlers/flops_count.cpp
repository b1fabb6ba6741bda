#include "base/expression.h"
#include "base/file.h"
#include "base/text.h"
#include "config/device_table.h"
#include "daemon/handlers/handlers.h"
#include "daemon/handlers/job_request.h"
#include "daemon/handlers/kb_arguments.h"
#include "profilers/flops/code_count.h"
#include "profilers/flops/plan_count.h"
#include "profilers/flops/program_count.h"
#include "profilers/flops/simulated_count.h"
#include "profilers/program/kernel_times.h"
#include "profilers/simulator/ptx/parser.h"

#include <algorithm>
#include <optional>
#include <span>

namespace warpmind::daemon {
namespace {

using profilers::CodeCount;
using profilers::OperationCounts;
using protocol::FlopsCountParams;
using protocol::FlopsCountResult;

constexpr std::size_t kMostSourceBytes = std::size_t{4} << 20U;
constexpr std::size_t kMostProgramBytes = std::size_t{512} << 20U;
constexpr std::size_t kMostDistinctLaunches = 500;

std::map<std::string, double> operations_of(const OperationCounts& counts) {
  std::map<std::string, double> named;
  for (std::size_t i = 0; i < counts.operations.size(); ++i) {
    if (counts.operations[i] == 0) continue;
    named[std::string(name_of(static_cast<profilers::Operation>(i)))] = counts.operations[i];
  }
  return named;
}

std::map<std::string, double> flops_by_type(const OperationCounts& counts) {
  std::map<std::string, double> named;
  for (std::size_t i = 1; i < counts.flops.size(); ++i) {
    if (counts.flops[i] == 0) continue;
    named[std::string(name_of(static_cast<profilers::FlopType>(i)))] = counts.flops[i];
  }
  return named;
}

protocol::CountedKernel counted_kernel(const profilers::StaticKernel& kernel) {
  protocol::CountedKernel wire;
  wire.kernel = kernel.kernel;
  wire.source = name_of(kernel.source);
  wire.notes = kernel.notes;
  for (const auto& region : kernel.regions) {
    wire.regions.push_back({region.parent, region.first_line, region.last_line,
                            operations_of(region.counts), flops_by_type(region.counts)});
  }
  return wire;
}

protocol::CountedLaunch counted_launch(const std::string& workload,
                                       const profilers::LaunchCount& launch) {
  return {workload,
          launch.kernel,
          operations_of(launch.counts),
          flops_by_type(launch.counts),
          launch.counts.all_flops(),
          launch.sampled,
          launch.simulated,
          launch.undecided,
          launch.grid,
          launch.block,
          1};
}

Result<DeviceSpec> device_to_build_for(const FlopsCountParams& params,
                                       const config::Settings& settings) {
  const std::string& key = params.device.empty() ? settings.lab.target : params.device;
  return config::device_table().need(key);
}

/// Where loops depend on data the simulator counts, if it can; else `undecided` says why not.
void simulate_undecided(const Task& task, const Workload& workload, const DeviceSpec& device,
                        const config::Settings& settings, const std::stop_token& stop,
                        std::vector<profilers::LaunchCount>& launches) {
  const auto undecided = [](const profilers::LaunchCount& one) { return !one.undecided.empty(); };
  if (std::none_of(launches.begin(), launches.end(), undecided)) return;
  auto simulated = profilers::simulate_counts(task, workload, device, settings, stop);
  if (simulated && simulated->size() != launches.size()) {
    simulated = fail(Errc::external_failure, "the simulator saw other launches");
  }
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (!undecided(launches[i])) continue;
    if (simulated) {
      launches[i] = (*simulated)[i];
      launches[i].simulated = true;
    } else {
      launches[i].undecided += "; not simulated: " + simulated.error().message;
    }
  }
}

/// The code that is counted. `task` gets the source of a CUDA file as its kernel's.
Result<CodeCount> code_of(const FlopsCountParams& params, const DeviceSpec& device,
                          const config::Settings& settings, Task& task,
                          const std::stop_token& stop) {
  std::filesystem::path file;
  if (!params.file.empty()) {
    WARPMIND_TRY(file, readable_path("file", params.file));
    if (file.extension() != ".cu") return profilers::count_code_file(file);
    WARPMIND_TRY(task.kernel.source, read_file(file, kMostSourceBytes));
  }
  return profilers::count_kernel(task.kernel, device, settings, stop);
}

/// What a simulation needs. References outlive the request.
struct Simulation {
  const DeviceSpec& device;
  const config::Settings& settings;
  const std::stop_token& stop;
};

/// The launches of one workload, and their sum.
Result<void> add_workload(const Task& task, const Workload& workload,
                          const simulator::ptx::Module& module, const Simulation& simulation,
                          FlopsCountResult& result) {
  WARPMIND_TRY(auto launches, profilers::count_plan(task, task.kernel, workload, module));
  simulate_undecided(task, workload, simulation.device, simulation.settings, simulation.stop,
                     launches);
  protocol::CountedWorkload& sum = result.workloads.emplace_back();
  sum.workload = workload.name;
  if (!task.cost.flops.empty()) {
    WARPMIND_TRY(const auto model, evaluate(task.cost.flops, workload.sizes));
    sum.model_flops = static_cast<double>(model);
  }
  for (const auto& launch : launches) {
    sum.total_flops += launch.counts.all_flops();
    sum.complete = sum.complete && launch.undecided.empty();
    result.launches.push_back(counted_launch(workload.name, launch));
  }
  return {};
}

Result<void> add_launches(const FlopsCountParams& params, const Task& task, const CodeCount& code,
                          const Simulation& simulation, FlopsCountResult& result) {
  if (code.ptx.empty()) {
    result.note = "launches are counted from PTX: give a .cu, .ptx or .fatbin file";
    return {};
  }
  WARPMIND_TRY(const auto module, simulator::ptx::parse_ptx(code.ptx));
  for (const Workload& workload : task.workloads) {
    if (!params.workload.empty() && workload.name != params.workload) continue;
    if (simulation.stop.stop_requested()) return fail(Errc::cancelled, "the count was cancelled");
    WARPMIND_CHECK(add_workload(task, workload, module, simulation, result));
  }
  if (!params.workload.empty() && result.workloads.empty()) {
    return fail(Errc::not_found,
                "task '" + task.name + "' has no workload '" + params.workload.substr(0, 80) + "'");
  }
  return {};
}

std::string told(const profilers::RecordedTrouble& trouble) {
  return "'" + profilers::plain_kernel_name(trouble.kernel) + "': " + trouble.what;
}

/// A run that ended early says nothing about the program's work.
Result<profilers::ProgramRecord> whole_record(const std::filesystem::path& file) {
  WARPMIND_TRY(auto record, profilers::read_program_record(file));
  if (!record.faults.empty()) {
    return fail(Errc::invalid_argument,
                "the recorded run failed in " + told(record.faults.front()));
  }
  if (record.launches.empty() && !record.refused.empty()) {
    return fail(Errc::invalid_argument, "no launch happened; of " + told(record.refused.front()));
  }
  return record;
}

/// What a program launched, from its own PTX and the record of its run.
Result<FlopsCountResult> count_of_program(const FlopsCountParams& params, const DeviceSpec& device,
                                          const std::stop_token& stop) {
  WARPMIND_TRY(const auto program, readable_path("file", params.file));
  WARPMIND_TRY(const auto record_file, readable_path("record", params.record));
  WARPMIND_TRY(const std::string text, read_file(program, kMostProgramBytes));
  WARPMIND_TRY(const auto modules,
               profilers::ptx_of_program(std::as_bytes(std::span<const char>(text)),
                                         10 * device.compute_major + device.compute_minor));
  WARPMIND_TRY(const auto record, whole_record(record_file));
  FlopsCountResult result;
  result.name = program.filename().string();
  result.architecture = modules.front().target;
  const auto distinct = profilers::distinct_launches(record);
  protocol::CountedWorkload sum;
  sum.complete = distinct.size() <= kMostDistinctLaunches && !record.is_cut;
  for (std::size_t i = 0; i < std::min(distinct.size(), kMostDistinctLaunches); ++i) {
    if (stop.stop_requested()) return fail(Errc::cancelled, "the count was cancelled");
    const auto count = profilers::count_recorded(record.launches[distinct[i].first], modules);
    auto& wire = result.launches.emplace_back(counted_launch("", count));
    wire.kernel = profilers::plain_kernel_name(count.kernel);
    wire.times = static_cast<std::int64_t>(distinct[i].times);
    sum.total_flops += wire.total_flops * static_cast<double>(wire.times);
    sum.complete = sum.complete && wire.undecided.empty();
  }
  if (distinct.size() > kMostDistinctLaunches) {
    result.note = std::to_string(distinct.size() - kMostDistinctLaunches) +
                  " further launches, which differ in sizes or scalars, are left out";
  } else if (record.is_cut) {
    result.note = "the record ends early: later launches are not in it";
  }
  for (const auto& refused : record.refused) {
    result.note += (result.note.empty() ? "" : "; ") + std::string("a launch did not happen, of ") +
                   told(refused);
  }
  result.workloads.push_back(std::move(sum));
  return result;
}

}  // namespace

Handler<FlopsCountParams, FlopsCountResult> flops_count(const config::Settings& settings) {
  return [&settings](const FlopsCountParams& params,
                     RequestContext& context) -> Result<FlopsCountResult> {
    if (params.file.empty() && params.directory.empty()) {
      return fail(Errc::invalid_argument, "'file' or 'directory' must be given");
    }
    if (!params.workload.empty() && params.directory.empty()) {
      return fail(Errc::invalid_argument, "'workload' needs 'directory'");
    }
    if (!params.record.empty() && (params.file.empty() || !params.directory.empty())) {
      return fail(Errc::invalid_argument, "'record' needs 'file', its program, and no 'directory'");
    }
    Task task;
    if (!params.directory.empty()) {
      WARPMIND_TRY(auto loaded, load_named_task(params.directory));
      task = std::move(loaded.task);
    }
    WARPMIND_TRY(const auto device, device_to_build_for(params, settings));
    if (!params.record.empty()) return count_of_program(params, device, context.stop);
    WARPMIND_TRY(const auto code, code_of(params, device, settings, task, context.stop));
    FlopsCountResult result;
    result.name = task.name;
    result.architecture = code.architecture;
    result.note = code.note;
    for (const auto& kernel : code.kernels) result.kernels.push_back(counted_kernel(kernel));
    if (!params.directory.empty()) {
      WARPMIND_CHECK(add_launches(params, task, code, {device, settings, context.stop}, result));
    } else if (result.note.empty()) {
      result.note =
          "no launch is known: counts are of one thread, and of one pass of each loop; give a task "
          "folder to have launches counted";
    }
    return result;
  };
}

}  // namespace warpmind::daemon
