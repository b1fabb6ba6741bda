/// \file
/// Predicts times of kernels that a GPU has measured, without judging them.
///   predict_kernels OUT.jsonl (--cases DIR | --kernels FILE.jsonl)
/// DIR holds task folders, whose given kernels are predicted; a line of FILE has `name`, `task` and
/// `kernel`. Appends a line to OUT for each; what OUT has already is left out.

#include "base/codec/json_guard.h"
#include "base/codec/model_json.h"
#include "base/file.h"
#include "config/device_table.h"
#include "config/settings_loader.h"
#include "config/task_file.h"
#include "profilers/lab/lab_parts.h"
#include "profilers/lab/plan_prediction.h"
#include "profilers/lab/run_case.h"
#include "profilers/lab/verification.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace warpmind::calibration {
namespace {

namespace fs = std::filesystem;
using profilers::BuiltKernel;
using profilers::JudgeSession;
using profilers::Judging;
using profilers::LabParts;
using profilers::PlanPrediction;
using profilers::SimulationMode;
using profilers::StageFailure;

constexpr std::size_t kMostBytes = std::size_t{1} << 28U;

struct NamedKernel {
  std::string name;
  Task task;
  Kernel kernel;
};

Result<std::vector<NamedKernel>> kernels_of_cases(const fs::path& folder) {
  std::vector<NamedKernel> kernels;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (!fs::is_regular_file(entry.path() / "task.toml")) continue;
    WARPMIND_TRY(const auto loaded, config::load_task(entry.path()));
    kernels.push_back({loaded.task.name, loaded.task, loaded.task.kernel});
  }
  std::sort(kernels.begin(), kernels.end(),
            [](const auto& a, const auto& b) { return a.name < b.name; });
  return kernels;
}

Result<std::vector<NamedKernel>> kernels_of_file(const fs::path& file) {
  WARPMIND_TRY(const std::string text, read_file(file, kMostBytes));
  std::vector<NamedKernel> kernels;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const auto value = nlohmann::json::parse(line);
    kernels.push_back({value.at("name"), value.at("task"), value.at("kernel")});
  }
  return kernels;
}

std::set<std::string> known_names(const fs::path& file) {
  std::set<std::string> names;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    names.insert(nlohmann::json::parse(line).at("name").get<std::string>());
  }
  return names;
}

Result<PlanPrediction> predict(LabParts& parts, const NamedKernel& one) {
  const DeviceSpec& device = parts.target;
  const auto architecture = architecture_of(device.compute_major, device.compute_minor);
  WARPMIND_TRY(auto built, parts.toolchain.build_kernel(one.kernel, architecture, {}));
  if (!built.report.succeeded) return fail(Errc::external_failure, built.report.diagnostics);
  const BuiltKernel kernel{&one.kernel, std::move(built.binary)};
  fs::path reference;
  if (!one.task.reference.empty()) {
    WARPMIND_TRY(reference, parts.toolchain.build_reference(one.task, {}));
  }
  WARPMIND_TRY(auto judge, JudgeSession::start(
                               parts.sandbox, {parts.judge_program, parts.scratch.path(), reference,
                                               profilers::recorded_values_of(one.task)}));
  Judging judging{parts.settings.lab, parts.pool,       parts.sandbox, parts.scratch,
                  one.task,           std::move(judge), device,        {}};
  const Workload& workload = *profilers::timed_workloads(one.task).front();
  const auto place = profilers::place_for(*parts.simulator, SimulationMode::profile, device.key,
                                          profilers::prediction_seconds(parts.settings.lab));
  WARPMIND_TRY(auto runner, profilers::start_simulated(parts.sandbox, place, kernel));
  WARPMIND_TRY(auto end, profilers::predict_plan(judging, runner, kernel, built.report, workload));
  runner.finish();
  if (auto* failure = std::get_if<StageFailure>(&end)) {
    return fail(Errc::external_failure, failure->reason);
  }
  return std::get<PlanPrediction>(std::move(end));
}

nlohmann::ordered_json line_of(const std::string& name, const PlanPrediction& plan) {
  nlohmann::ordered_json line = {{"name", name},
                                 {"predicted_us", plan.time_ns / 1e3},
                                 {"bound", plan.bound},
                                 {"confidence", plan.confidence},
                                 {"sampled", plan.sampled},
                                 {"launches", plan.launches}};
  return line;
}

Result<int> run(const std::vector<std::string>& words) {
  const bool has_cases = words.size() == 3 && words[1] == "--cases";
  if (!has_cases && (words.size() != 3 || words[1] != "--kernels")) {
    return fail(Errc::invalid_argument,
                "predict_kernels OUT.jsonl (--cases DIR | --kernels FILE.jsonl)");
  }
  WARPMIND_TRY(const auto loaded,
               config::load_settings({std::nullopt, config::capture_environment(), {}, {}}));
  WARPMIND_TRY(const auto devices, config::DeviceTable::load());
  WARPMIND_TRY(const auto target, devices.need("h200"));
  WARPMIND_TRY(const auto sandbox, profilers::make_sandbox(loaded.settings));
  WARPMIND_TRY(const auto parts,
               profilers::make_lab_parts(loaded.settings, devices, target, *sandbox));
  if (!parts->simulator) return fail(parts->simulator.error());
  WARPMIND_TRY(const auto kernels,
               has_cases ? kernels_of_cases(words[2]) : kernels_of_file(words[2]));
  const auto known = known_names(words[0]);
  std::ofstream out(words[0], std::ios::app);
  for (const auto& one : kernels) {
    if (known.contains(one.name)) continue;
    const auto plan = predict(*parts, one);
    if (!plan) {
      std::fprintf(stderr, "%s: %s\n", one.name.c_str(), plan.error().message.c_str());
      continue;
    }
    out << line_of(one.name, *plan).dump() << std::endl;
    std::printf("%-40s %12.2f us %s %s\n", one.name.c_str(), plan->time_ns / 1e3,
                plan->bound.c_str(), plan->confidence.c_str());
  }
  return 0;
}

}  // namespace
}  // namespace warpmind::calibration

int main(int count, char** words) {
  const auto ran = warpmind::calibration::run({words + 1, words + count});
  if (ran) return *ran;
  std::fprintf(stderr, "predict_kernels: %s\n", ran.error().message.c_str());
  switch (ran.error().code) {
    case warpmind::Errc::invalid_argument: return 2;
    case warpmind::Errc::unavailable: return 4;
    default: return 1;
  }
}
