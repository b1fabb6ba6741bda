#include "tests/bench/builtin_coverage/technique_trial.h"

#include "agents/builtin/lifting/recorded_task.h"
#include "agents/builtin/technique.h"
#include "base/file.h"
#include "config/device_table.h"

#include <algorithm>
#include <optional>

namespace warpmind::coverage {
namespace {

using agents::ProposalContext;
using agents::builtin::Scene;
using agents::builtin::Technique;
using rewrites::KernelBuilder;
using rewrites::RewriteComparison;
using syntax::CudaSource;
using syntax::FunctionKind;

constexpr std::size_t kSourceLimit = std::size_t{4} << 20U;
/// Sums of exponentials and the like depend on their order; outputs are mostly f16.
constexpr rewrites::Closeness kClose{4, 1e-3};

std::string first_line(const std::string& text) {
  std::string line = text.substr(0, 400);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

std::string parse_fault(const CudaSource& source) {
  for (const auto& function : source.functions) {
    if (function.kind != FunctionKind::host && function.has_error) return function.name;
  }
  return {};
}

struct Resources {
  int registers = 0;
  std::int64_t spill_bytes = 0;
};

Resources total(const std::vector<KernelResources>& kernels) {
  Resources sum;
  for (const auto& kernel : kernels) {
    sum.registers = std::max(sum.registers, kernel.registers);
    sum.spill_bytes += kernel.spill_store_bytes + kernel.spill_load_bytes;
  }
  return sum;
}

/// The given kernel, built and run once for all trials.
struct Given {
  Task task;
  Resources resources;
  std::optional<RewriteComparison> comparison;
  std::string fault;
};

Given build_given(const KernelBuilder& builder, Task task, const TrialLimits& limits) {
  Given given{std::move(task), {}, std::nullopt, {}};
  const auto resources = builder.resources(given.task.kernel);
  if (!resources) {
    given.fault = "does not build: " + first_line(resources.error().message);
    return given;
  }
  given.resources = total(*resources);
  if (limits.steps == 0) return given;
  Task untimed = given.task;  // those that are timed are taken for too large to run
  for (auto& workload : untimed.workloads) workload.timed = false;
  auto comparison = RewriteComparison::create(builder, std::move(untimed), {limits.steps});
  if (comparison) {
    given.comparison.emplace(std::move(*comparison));
  } else {
    given.fault = "does not run: " + first_line(comparison.error().message);
  }
  return given;
}

void simulate(const Given& given, const Kernel& rewritten, Trial& trial) {
  const auto exact = given.comparison->compare(rewritten);
  trial.simulated = Simulated::same;
  if (exact.same()) return;
  for (const auto& workload : exact.workloads) {
    if (!workload.out_of_steps) continue;
    trial.simulated = Simulated::unfinished;
    return;
  }
  trial.simulated = Simulated::close;
  const auto report = given.comparison->compare(rewritten, kClose);
  if (report.same()) return;
  trial.simulated = Simulated::different;
  trial.fault = first_line(report.describe());
}

Trial try_move(const KernelBuilder& builder, const Given& given, const Scene& scene,
               const Technique& technique, const std::string& parameters) {
  Trial trial;
  trial.technique = technique.name;
  trial.parameters = parameters;
  const auto rewritten = technique.apply(scene, parameters);
  if (!rewritten) {
    trial.fault = "offered, but not applied";
    return trial;
  }
  const auto resources = builder.resources(*rewritten);
  if (!resources) {
    trial.fault = "does not build: " + first_line(resources.error().message);
    return trial;
  }
  trial.built = true;
  const auto after = total(*resources);
  trial.registers_before = given.resources.registers;
  trial.registers_after = after.registers;
  trial.has_new_spills = after.spill_bytes > given.resources.spill_bytes;
  if (given.comparison) simulate(given, *rewritten, trial);
  return trial;
}

void try_techniques(const KernelBuilder& builder, const Given& given, const TrialLimits& limits,
                    ProgramTrial& program) {
  const Bottleneck bottleneck;
  const Advice advice;
  const auto table = config::DeviceTable::load();
  const auto device = table ? table->find("h200") : std::nullopt;
  if (!device) return;
  const ProposalContext context{given.task, given.task.kernel, bottleneck, advice, *device};
  const auto scene = Scene::read(context);
  if (!scene) {
    program.given_fault = "cannot be looked at: " + scene.error().message;
    return;
  }
  for (const Technique& technique : agents::builtin::techniques()) {
    const auto offer = technique.offer(*scene);
    std::size_t tried = 0;
    for (const auto& move : offer.moves) {
      ++program.offered;
      if (tried++ >= limits.moves) continue;
      program.trials.push_back(try_move(builder, given, *scene, technique, move.parameters));
    }
    if (offer.moves.empty()) {
      program.refusals.push_back({std::string(technique.name), offer.refusal});
    }
  }
}

}  // namespace

ProgramTrial try_program(const KernelBuilder& builder, const std::filesystem::path& source,
                         const std::filesystem::path& record, const TrialLimits& limits) {
  ProgramTrial program;
  program.name = source.stem().string();
  const auto text = read_file(source, kSourceLimit);
  if (!text) {
    program.parse_fault = text.error().message;
    return program;
  }
  const auto parsed = CudaSource::read(*text);
  if (!parsed) {
    program.parse_fault = parsed.error().message;
    return program;
  }
  program.parse_fault = parse_fault(*parsed);
  const auto calls = profilers::read_program_record(record);
  if (!calls) {
    program.lift_fault = calls.error().message;
    return program;
  }
  program.launches = calls->launches.size();
  auto recorded = agents::builtin::recorded_task(program.name, *parsed, *calls);
  if (!recorded) {
    program.lift_fault = recorded.error().message;
    return program;
  }
  program.lifted = recorded->launches.size();
  if (!recorded->skipped.empty()) {
    const auto& skipped = recorded->skipped.front();
    program.lift_fault = "kernel '" + skipped.kernel + "': " + skipped.reason;
  }
  const auto given = build_given(builder, std::move(recorded->task), limits);
  program.given_fault = given.fault;
  if (given.resources.registers > 0) try_techniques(builder, given, limits, program);
  return program;
}

}  // namespace warpmind::coverage
