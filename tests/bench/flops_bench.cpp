/// \file
/// Counting without running, held against running: for each task the walk of its smallest workload
/// against every instruction that the simulator executed, and against the task's own cost model.
///   flops_bench [TASK …]     without names: every task that is shipped
/// Needs nvcc; says so and ends well without. No GPU is used.

#include "base/expression.h"
#include "base/file.h"
#include "config/device_table.h"
#include "config/task_file.h"
#include "profilers/flops/code_count.h"
#include "profilers/flops/plan_count.h"
#include "profilers/lab/run_case.h"
#include "profilers/simulator/ptx/parser.h"
#include "tests/unit/profilers_flops/simulated_counts.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace warpmind::profilers {
namespace {

namespace fs = std::filesystem;

struct Score {
  int kernels = 0;
  int exact = 0;
  int close = 0;
  int undecided = 0;
  int wrong_tasks = 0;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Bytes of the buffers of a launch, by name.
Result<std::map<std::string, std::uint64_t>> buffers_of(const Task& task, const Workload& workload,
                                                        const Program& program) {
  WARPMIND_TRY(const auto specs, make_buffers(task, workload, PreparedCase{}));
  std::map<std::string, std::uint64_t> bytes;
  for (const auto& spec : specs) bytes[spec.name] = static_cast<std::uint64_t>(spec.bytes);
  for (const auto& spec : program.scratch)
    bytes[spec.name] = static_cast<std::uint64_t>(spec.bytes);
  return bytes;
}

Result<std::vector<SimulatedArgument>> arguments_of(
    const LaunchCall& call, const std::map<std::string, std::uint64_t>& buffers,
    const WalkLaunch& walk, const simulator::ptx::Function& function) {
  std::vector<SimulatedArgument> arguments;
  for (std::size_t i = 0; i < call.arguments.size(); ++i) {
    SimulatedArgument& one = arguments.emplace_back();
    const auto& parameter = function.parameters.at(i);
    const auto begin = walk.parameters.begin() + static_cast<std::ptrdiff_t>(parameter.offset);
    if (call.arguments[i].buffer.empty()) {
      one.scalar.assign(begin, begin + parameter.bytes);
      continue;
    }
    const auto found = buffers.find(call.arguments[i].buffer);
    if (found == buffers.end())
      return fail(Errc::not_found, "no buffer " + call.arguments[i].buffer);
    one.buffer_bytes = std::max<std::uint64_t>(found->second, 1);
  }
  return arguments;
}

const simulator::ptx::Function* find_entry(const simulator::ptx::Module& module,
                                           const std::string& name) {
  for (const auto& one : module.functions) {
    if (one.is_entry && one.name == name) return &one;
  }
  return nullptr;
}

/// One launch: counted by the walk, executed by the simulator.
Result<void> compare_launch(const Task& task, const Workload& workload, const Program& program,
                            std::size_t index, const LaunchCount& counted, const CodeCount& code,
                            const simulator::ptx::Module& module, Score& score) {
  const LaunchCall& call = program.launches[index];
  ++score.kernels;
  if (!counted.undecided.empty()) {
    ++score.undecided;
    std::printf("%-22s %-24s undecided: %s\n", task.name.c_str(), call.kernel.c_str(),
                counted.undecided.c_str());
    return {};
  }
  const auto* function = find_entry(module, call.kernel);
  WARPMIND_TRY(const auto walk, walk_launch_of(call, *function));
  WARPMIND_TRY(const auto buffers, buffers_of(task, workload, program));
  WARPMIND_TRY(const auto arguments, arguments_of(call, buffers, walk, *function));
  WARPMIND_TRY(const auto record, simulate_launch(code.ptx, call.kernel, walk, arguments));
  const OperationCounts run = counts_of(record);
  const double walked = counted.counts.all_flops();
  const double simulated = run.all_flops();
  const bool exact = run == counted.counts;
  const double off = simulated > 0 ? std::abs(walked / simulated - 1) : (walked > 0 ? 1 : 0);
  score.exact += exact ? 1 : 0;
  score.close += off <= 0.05 ? 1 : 0;
  std::printf("%-22s %-24s walked %.0f, simulated %.0f flops%s\n", task.name.c_str(),
              call.kernel.c_str(), walked, simulated, exact ? ", every class exact" : "");
  return {};
}

/// Where it matters: the workload that is timed. What a kernel does beyond its problem shows here.
Result<void> compare_with_model(const Task& task, const simulator::ptx::Module& module) {
  if (task.cost.flops.empty()) return {};
  const Workload& workload = *timed_workloads(task).front();
  WARPMIND_TRY(const auto model, evaluate(task.cost.flops, workload.sizes));
  const auto start = std::chrono::steady_clock::now();
  WARPMIND_TRY(const auto counts, count_plan(task, task.kernel, workload, module));
  double total = 0;
  bool sampled = false;
  for (const auto& one : counts) {
    if (!one.undecided.empty()) return {};
    total += one.counts.all_flops();
    sampled = sampled || one.sampled;
  }
  std::printf("%-22s workload '%s': %s%.0f flops, the model says %lld (%.3f of it); %.0f ms\n",
              task.name.c_str(), workload.name.c_str(), sampled ? "about " : "", total,
              static_cast<long long>(model), model > 0 ? total / static_cast<double>(model) : 0,
              seconds_since(start) * 1e3);
  return {};
}

Result<void> compare_task(const fs::path& folder, const config::Settings& settings,
                          const DeviceSpec& device, Score& score) {
  WARPMIND_TRY(const auto loaded, config::load_task(folder));
  const Task& task = loaded.task;
  if (task.kernel.tier != Tier::a) return {};
  WARPMIND_TRY(const auto code, count_kernel(task.kernel, device, settings, {}));
  WARPMIND_TRY(const auto module, simulator::ptx::parse_ptx(code.ptx));
  const Workload& workload = smallest_workload(task);
  WARPMIND_TRY(const auto program, make_program(task, task.kernel, workload, ""));
  WARPMIND_TRY(const auto counts, count_plan(task, task.kernel, workload, module));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    WARPMIND_CHECK(compare_launch(task, workload, program, i, counts[i], code, module, score));
  }
  return compare_with_model(task, module);
}

std::vector<fs::path> folders_of(int argc, char** argv) {
  const fs::path root = WARPMIND_TASKS;
  std::vector<fs::path> folders;
  for (int i = 1; i < argc; ++i) folders.push_back(root / argv[i]);
  if (!folders.empty()) return folders;
  for (const auto& entry : fs::directory_iterator(root)) {
    if (fs::is_regular_file(entry.path() / "task.toml")) folders.push_back(entry.path());
  }
  std::sort(folders.begin(), folders.end());
  return folders;
}

int run(int argc, char** argv) {
  auto scratch = ScratchDirectory::create(fs::temp_directory_path(), "flops");
  const auto devices = config::DeviceTable::load();
  if (!scratch || !devices) return 2;
  config::Settings settings;
  settings.toolchain.cache_directory = scratch->path() / "cache";
  const auto device = devices->find("h200");
  if (!device) return 2;
  Score score;
  for (const auto& folder : folders_of(argc, argv)) {
    const auto done = compare_task(folder, settings, *device, score);
    if (done) continue;
    if (done.error().code == Errc::unavailable) {
      std::printf("skipped: %s\n", done.error().message.c_str());
      return 0;
    }
    ++score.wrong_tasks;
    std::printf("%s: %s\n", folder.filename().c_str(), done.error().message.c_str());
  }
  std::printf("RESULT kernels=%d exact=%d within_5_percent=%d undecided=%d failed_tasks=%d\n",
              score.kernels, score.exact, score.close, score.undecided, score.wrong_tasks);
  const int decided = score.kernels - score.undecided;
  return score.exact == decided && score.wrong_tasks == 0 && score.kernels > 0 ? 0 : 1;
}

}  // namespace
}  // namespace warpmind::profilers

int main(int argc, char** argv) { return warpmind::profilers::run(argc, argv); }
