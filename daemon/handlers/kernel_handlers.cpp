#include "daemon/handlers/kernel_handlers.h"

#include "agents/builtin/explain_moves.h"
#include "agents/builtin/hosting/host_edits.h"
#include "agents/builtin/hosting/program_rewrite.h"
#include "agents/builtin/lifting/text_task.h"
#include "base/expression.h"
#include "base/file.h"
#include "base/part.h"
#include "base/text.h"
#include "config/device_table.h"
#include "daemon/handlers/job_request.h"
#include "daemon/handlers/kb_arguments.h"
#include "daemon/known_skills.h"
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

/// The task of a folder, or what the text of a program says.
Result<agents::builtin::TextTask> task_of(const protocol::MovesExplainParams& params) {
  if (params.directory.empty() == params.source.empty()) {
    return fail(Errc::invalid_argument,
                "one of 'directory' and 'source' must be given, and not both");
  }
  if (params.directory.empty()) {
    WARPMIND_TRY(const auto program, syntax::CudaSource::read(params.source));
    return agents::builtin::task_of_text(program);
  }
  WARPMIND_TRY(auto loaded, load_named_task(params.directory));
  return agents::builtin::TextTask{std::move(loaded.task), {}};
}

std::string note_of(const agents::builtin::TextTask& text) {
  const bool has_launches = !text.task.kernel.plan.launches.empty();
  std::string note =
      has_launches
          ? "launches are read from the file, not recorded; `optimize FILE.cu --run` records them"
          : "no launch of these kernels can be read from the file: techniques that need grids and "
            "sizes say so; `optimize FILE.cu --run` records a run, and a task folder "
            "(docs/tasks.md) states them";
  for (const auto& one : text.notes) note += "; " + one;
  return note;
}

}  // namespace

Handler<protocol::MovesExplainParams, protocol::MovesExplainResult> moves_explain(
    const config::Settings& settings, knowledge_base::KnowledgeBase& base) {
  return [&](const protocol::MovesExplainParams& params,
             RequestContext& /*context*/) -> Result<protocol::MovesExplainResult> {
    if (params.technique.empty() && !params.parameters.empty()) {
      return fail(Errc::invalid_argument, "'parameters' needs 'technique'");
    }
    WARPMIND_TRY(const auto text, task_of(params));
    const Task& task = text.task;
    const std::string& key = params.device.empty() ? settings.lab.target : params.device;
    WARPMIND_TRY(const DeviceSpec device, config::device_table().need(key));
    const Bottleneck bottleneck;
    const Advice advice;
    const agents::ProposalContext context{task, task.kernel, bottleneck, advice, device};
    protocol::MovesExplainResult result;
    const auto table = agents::builtin::techniques_with(known_skills(settings, base));
    WARPMIND_TRY(result.techniques, agents::builtin::explain_moves(
                                        context, {params.technique, params.parameters}, table));
    WARPMIND_TRY(result.forms, agents::builtin::explain_forms(context));
    result.name = task.name;
    result.device = device.name;
    result.kernel = task.kernel;
    if (params.directory.empty()) result.note = note_of(text);
    if (params.directory.empty() && params.technique.empty()) {
      WARPMIND_TRY(const auto program, syntax::CudaSource::read(params.source));
      result.host = agents::builtin::host_edits(program);
    }
    return result;
  };
}

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
  protocol::CountedKernel wire{kernel.kernel, kernel.source, {}, kernel.notes};
  for (const auto& region : kernel.regions) {
    wire.regions.push_back(
        {part<LoopPlace>(region), operations_of(region.counts), flops_by_type(region.counts)});
  }
  return wire;
}

protocol::CountedLaunch counted_launch(const std::string& workload,
                                       const profilers::LaunchCount& launch) {
  return {part<LaunchToCount>(launch), workload, operations_of(launch.counts),
          flops_by_type(launch.counts), launch.counts.all_flops()};
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

namespace {

namespace builtin = agents::builtin;

constexpr std::size_t kMostProgramText = std::size_t{4} << 20U;  // bytes; what the parser takes

struct RecordedProgram {
  syntax::CudaSource source;
  profilers::ProgramRecord record;
};

Result<RecordedProgram> read_program(const std::string& source, const std::string& record,
                                     const std::vector<std::string>& host_edits,
                                     std::vector<HostEdit>& edits) {
  WARPMIND_TRY(const auto source_file, path_of("source", source));
  WARPMIND_TRY(const auto record_file, path_of("record", record));
  RecordedProgram program;
  WARPMIND_TRY(auto text, read_file(source_file, kMostProgramText));
  WARPMIND_TRY(program.record, profilers::read_program_record(record_file));
  WARPMIND_TRY(program.source, syntax::CudaSource::read(std::move(text)));
  for (const auto& name : host_edits) {
    WARPMIND_TRY(auto edit, builtin::host_edit(name, program.source));
    if (edit.refusal.empty()) {
      WARPMIND_TRY(program.source, syntax::CudaSource::read(edit.text));
    }
    edits.push_back(std::move(edit));
  }
  return program;
}

}  // namespace

Handler<protocol::ProgramLiftParams, LiftedProgram> program_lift() {
  return [](const protocol::ProgramLiftParams& params,
            RequestContext& /*context*/) -> Result<LiftedProgram> {
    std::vector<HostEdit> none;
    WARPMIND_TRY(const auto program, read_program(params.source, params.record, {}, none));
    return builtin::lift_program(params.name, program.source, program.record);
  };
}

Handler<protocol::ProgramRewriteParams, protocol::ProgramRewriteResult> program_rewrite() {
  return [](const protocol::ProgramRewriteParams& params,
            RequestContext& /*context*/) -> Result<protocol::ProgramRewriteResult> {
    std::vector<HostEdit> edits;
    WARPMIND_TRY(const auto program,
                 read_program(params.source, params.record, params.host_edits, edits));
    protocol::ProgramRewriteResult result;
    for (auto& edit : edits) {
      if (edit.refusal.empty()) {
        result.edited.push_back(edit.name);
      } else {
        result.unedited.push_back({edit.name, std::move(edit.refusal)});
      }
    }
    result.text = program.source.tree.source();
    if (params.kernels.empty()) return result;
    WARPMIND_TRY(const auto lifted,
                 builtin::lift_program("program", program.source, program.record));
    RewrittenProgram& rewritten = result;
    WARPMIND_TRY(rewritten, builtin::rewrite_program(program.source, program.record, lifted,
                                                     params.kernels, {params.assume_shapes}));
    return result;
  };
}

}  // namespace warpmind::daemon
