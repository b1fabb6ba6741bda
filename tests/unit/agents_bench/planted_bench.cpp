#include "planted_bench.h"

#include "agents/benchmark/recorder.h"
#include "base/clock.h"
#include "base/file.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace warpmind::agents::benchmark {
namespace {

constexpr int kTechniques = 12;

std::string definition(const std::string& technique) { return "#define " + technique + " 1\n"; }

bool defines(const Kernel& kernel, const std::string& technique) {
  return kernel.source.find(definition(technique)) != std::string::npos;
}

}  // namespace

std::string planted_technique(int number) {
  return (number < 10 ? "technique_0" : "technique_") + std::to_string(number);
}

Task planted_task(const std::string& name, const std::string& family) {
  Task task;
  task.name = name;
  task.operator_family = family;
  task.arguments = {{"x", ArgumentKind::in, Dtype::f32, {"n"}, "", {}, 0, 0},
                    {"y", ArgumentKind::out, Dtype::f32, {"n"}, "", {}, 0, 0}};
  task.workloads = {{"tiny", {{"n", 64}}, false}, {"large", {{"n", 4096}}, true}};
  task.reference = "// " + name;
  task.kernel.source = "extern \"C\" __global__ void " + name +
                       "(const float* x, float* y, int n) {\n"
                       "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                       "  if (i < n) y[i] = x[i];\n"
                       "}\n";
  task.kernel.plan.launches = {
      {name, {"ceil_div(n, block_x)", "1", "1"}, {"256", "1", "1"}, "0", {"x", "y", "i32:n"}}};
  task.id = id_of(task);
  return task;
}

std::vector<std::string> PlantedProposer::techniques() const {
  std::vector<std::string> names;
  for (int number = 0; number < kTechniques; ++number) names.push_back(planted_technique(number));
  return names;
}

std::vector<Move> PlantedProposer::moves(const ProposalContext& context) const {
  std::vector<Move> all;
  for (const auto& technique : techniques()) {
    if (!defines(context.kernel, technique)) all.push_back({technique, "", 1.02});
  }
  return all;
}

Result<Writing> PlantedProposer::write(const Move& move, const ProposalContext& context,
                                       std::stop_token /*stop*/) {
  // In one order, so that two orders of edits lead to the same kernel.
  Candidate candidate;
  candidate.kernel = context.kernel;
  std::string definitions;
  for (const auto& technique : techniques()) {
    if (technique == move.technique || defines(context.kernel, technique)) {
      definitions += definition(technique);
    }
  }
  candidate.kernel.source =
      definitions + context.kernel.source.substr(context.kernel.source.find("extern \"C\""));
  candidate.parent = id_of(context.kernel);
  candidate.proposer = name();
  candidate.technique = move.technique;
  candidate.parameters = move.parameters;
  return Writing{std::move(candidate)};
}

std::optional<double> planted_time(const Kernel& kernel, const PlantedGains& gains) {
  double time = 100;
  for (const auto& [number, gain] : gains) {
    if (!defines(kernel, planted_technique(number))) continue;
    if (gain <= 0) return std::nullopt;
    time /= gain;
  }
  return time;
}

EvaluationTable planted_table(int families, int tasks_each,
                              const std::function<PlantedGains(int family)>& gains_of) {
  const auto folder =
      ScratchDirectory::create(std::filesystem::temp_directory_path(), "warpmind-planted");
  EXPECT_TRUE(folder);
  const auto devices = config::DeviceTable::load();
  EXPECT_TRUE(devices);
  const SystemClock clock;
  PlantedProposer proposer;
  EvaluationTable table;
  for (int family = 0; family < families; ++family) {
    const PlantedGains gains = gains_of(family);
    fakes::ScriptedKernelLab lab([&](const Kernel& kernel) { return planted_time(kernel, gains); });
    std::vector<Task> tasks;
    for (int task = 0; task < tasks_each; ++task) {
      tasks.push_back(planted_task("f" + std::to_string(family) + "_" + std::to_string(task),
                                   "family_" + std::to_string(family)));
    }
    const RecordingParts parts{lab, proposer, *devices, clock};
    auto recorded = record_table(parts, tasks, {60, 600}, folder->path() / "table.jsonl");
    EXPECT_TRUE(recorded) << (recorded ? "" : recorded.error().message);
    if (recorded) table = std::move(*recorded);
  }
  return table;
}

}  // namespace warpmind::agents::benchmark
