/// \file
/// What each stage of the lab costs and what it catches, on the red-team corpus, and how many
/// candidates a minute are judged: one after the other, and with the next ones built meanwhile.
///   lab_stages_bench [CASES] [EFFORT]
/// CASES: kernels to judge, spread over the corpus (default: all). The lab is that of a GPU where
/// there is one, else the simulator's. On a GPU each kernel is a candidate that wants to beat the
/// task's own on a timed workload of at most 64 MiB; the simulator is asked for correctness alone.

#include "base/file.h"
#include "base/model/verdict_reading.h"
#include "config/device_table.h"
#include "config/settings_loader.h"
#include "config/task_file.h"
#include "profilers/kernel_builder.h"
#include "profilers/lab/static_checks.h"
#include "profilers/simulated_kernel_lab.h"
#include "profilers/worker_kernel_lab.h"
#include "tests/redteam/red_case.h"
#include "tests/redteam/small_task.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace warpmind {
namespace {

using SteadyClock = std::chrono::steady_clock;

double seconds_since(SteadyClock::time_point start) {
  return std::chrono::duration<double>(SteadyClock::now() - start).count();
}

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

struct StageFigures {
  std::vector<double> seconds;
  int catches = 0;
};

/// By stage, in the order of DESIGN 7.
struct Figures {
  std::map<Stage, StageFigures> stages;
  int judged = 0;
  int missed = 0;   ///< cheats that passed
  int refused = 0;  ///< honest kernels that did not

  void add(const redteam::RedCase& one, const Verdict& verdict) {
    ++judged;
    for (const StageReport& stage : verdict.stages) {
      stages[stage.stage].seconds.push_back(stage.seconds);
    }
    const bool failed = is_failure(verdict.outcome);
    if (failed && one.outcome) ++stages[verdict.stages.back().stage].catches;
    if (!failed && one.outcome) ++missed;
    if (failed && !one.outcome) ++refused;
    if (failed != one.outcome.has_value()) {
      std::printf("  unexpected: %s is %s: %s\n", one.name.c_str(),
                  std::string(name_of(verdict.outcome)).c_str(), verdict.reason.c_str());
    }
  }
};

constexpr std::int64_t kMostTimedBytes = std::int64_t{64} << 20U;  // still cold in L2

using Tasks = std::map<std::string, Task>;

Result<Tasks> tasks_of(const std::vector<redteam::RedCase>& cases) {
  Tasks tasks;
  for (const auto& one : cases) {
    if (tasks.contains(one.task)) continue;
    WARPMIND_TRY(auto loaded, config::load_task(WARPMIND_SOURCE_DIR "/tasks/" + one.task));
    tasks.emplace(one.task, std::move(loaded.task));
  }
  return tasks;
}

Result<config::Settings> settings_in(const std::filesystem::path& folder) {
  WARPMIND_TRY(const auto loaded,
               config::load_settings({std::nullopt, config::capture_environment(), {}, {}}));
  config::Settings settings = loaded.settings;
  settings.toolchain.cache_directory = folder / "cache";
  settings.lab.scratch_directory = folder / "scratch";
  settings.daemon.state_directory = folder / "state";
  const std::filesystem::path binaries(WARPMIND_BINARY_DIR);
  settings.lab.worker = binaries / "warpmind-worker";
  settings.lab.judge = binaries / "warpmind-judge";
  settings.lab.simulator = binaries.parent_path() / "lib" / "simulator";
  settings.lab.case_timeout_s = 3;
  return settings;
}

Result<std::unique_ptr<profilers::KernelLab>> open_lab(const config::Settings& settings,
                                                       const config::DeviceTable& devices) {
  auto gpu = profilers::WorkerKernelLab::create(settings, devices);
  if (gpu && (*gpu)->device()) return std::unique_ptr<profilers::KernelLab>(std::move(*gpu));
  WARPMIND_TRY(auto simulated, profilers::SimulatedKernelLab::create(settings, devices, "h200"));
  return std::unique_ptr<profilers::KernelLab>(std::move(simulated));
}

/// The simulator's tasks have no timed workloads: those need a GPU.
Result<void> fit_to(const profilers::KernelLab& lab, Tasks& tasks) {
  for (auto& [name, task] : tasks) {
    if (lab.provider() == Provider::gpu) {
      WARPMIND_CHECK(redteam::shrink_timed(task, kMostTimedBytes));
    } else {
      std::erase_if(task.workloads, [](const Workload& workload) { return workload.timed; });
    }
  }
  return {};
}

struct Round {
  Figures figures;
  double seconds = 0;
  std::string provider;
};

/// Judges all cases from an empty build cache. `ahead`: a thread builds the next kernels meanwhile.
Result<Round> judge_all(const std::vector<redteam::RedCase>& cases, Tasks tasks, Effort effort,
                        bool ahead) {
  WARPMIND_TRY(const auto folder,
               ScratchDirectory::create(std::filesystem::temp_directory_path(), "lab_stages"));
  WARPMIND_TRY(const config::Settings settings, settings_in(folder.path()));
  WARPMIND_TRY(const config::DeviceTable devices, config::DeviceTable::load());
  WARPMIND_TRY(const auto lab, open_lab(settings, devices));
  WARPMIND_TRY(const auto identity, lab->device());
  WARPMIND_CHECK(fit_to(*lab, tasks));
  // References and whatever else a task needs once are no cost of a candidate.
  std::map<std::string, double> baseline_errors;
  for (const auto& [name, task] : tasks) {
    WARPMIND_TRY(const Verdict given,
                 lab->judge({.task = task, .kernel = task.kernel, .effort = effort}, {}));
    baseline_errors[name] = given.correctness ? given.correctness->baseline_error : 0;
  }
  Round round;
  round.provider = name_of(lab->provider());
  std::unique_ptr<profilers::KernelBuilder> builder;
  if (ahead) {
    WARPMIND_TRY(builder, profilers::KernelBuilder::create(settings));
  }
  const auto device = devices.match(identity).value_or(*devices.find("h200"));
  const auto start = SteadyClock::now();
  std::jthread builds([&](const std::stop_token& stop) {
    for (const auto& one : cases) {
      if (!builder || stop.stop_requested()) return;
      // What does not build is the judge's to say.
      (void)builder->build(kernel_for(one, tasks.at(one.task)), device, stop);
    }
  });
  for (const auto& one : cases) {
    const Task& task = tasks.at(one.task);
    const Kernel kernel = kernel_for(one, task);
    profilers::JudgeOrder order{.task = task, .kernel = kernel, .effort = effort};
    if (lab->provider() == Provider::gpu) {
      order.incumbent = &task.kernel;
      order.baseline_error = baseline_errors.at(one.task);
    }
    WARPMIND_TRY(const Verdict verdict, lab->judge(order, {}));
    round.figures.add(one, verdict);
  }
  round.seconds = seconds_since(start);
  return round;
}

/// Sources of host functions without a task are only read.
StageFigures read_sources(const std::vector<redteam::RedCase>& corpus) {
  StageFigures figures;
  for (const auto& one : corpus) {
    if (!one.task.empty()) continue;
    Kernel kernel = one.kernel;
    kernel.plan.launches.emplace_back().arguments = {"x", "y", "z"};
    const auto start = SteadyClock::now();
    const auto finding = profilers::check_statically(kernel);
    figures.seconds.push_back(seconds_since(start));
    if (finding && one.outcome) ++figures.catches;
  }
  return figures;
}

void print_stage(const std::string& name, const StageFigures& figures) {
  std::printf("%-28s %9.3f %9.3f %9.3f %6zu %8d\n", name.c_str(),
              1e3 * quantile(figures.seconds, 0.5), 1e3 * quantile(figures.seconds, 0.1),
              1e3 * quantile(figures.seconds, 0.9), figures.seconds.size(), figures.catches);
}

void print_result(const Figures& figures, const StageFigures& read, double one_by_one,
                  double pipelined) {
  std::printf("RESULT");
  for (const auto& [stage, of_stage] : figures.stages) {
    const std::string name(name_of(stage));
    std::printf(" stage_%s_ms=%.3f", name.c_str(), 1e3 * quantile(of_stage.seconds, 0.5));
  }
  std::printf(" candidates_per_minute=%.1f candidates_per_minute_pipelined=%.1f", one_by_one,
              pipelined);
  for (const auto& [stage, of_stage] : figures.stages) {
    const int more = stage == Stage::static_checks ? read.catches : 0;
    std::printf(" catches_%s=%d", std::string(name_of(stage)).c_str(), of_stage.catches + more);
  }
  std::printf(" missed=%d refused=%d\n", figures.missed, figures.refused);
}

Result<void> run(std::size_t most, Effort effort) {
  WARPMIND_TRY(const auto corpus, redteam::read_corpus(WARPMIND_SOURCE_DIR "/tests/redteam/cases"));
  std::vector<redteam::RedCase> with_task;
  for (const auto& one : corpus) {
    if (!one.task.empty()) with_task.push_back(one);
  }
  std::vector<redteam::RedCase> cases;
  const std::size_t count = std::min(most, with_task.size());
  for (std::size_t i = 0; i < count; ++i) cases.push_back(with_task[i * with_task.size() / count]);
  WARPMIND_TRY(const auto tasks, tasks_of(cases));

  WARPMIND_TRY(const Round plain, judge_all(cases, tasks, effort, false));
  WARPMIND_TRY(const Round ahead, judge_all(cases, tasks, effort, true));
  const StageFigures read = read_sources(corpus);
  const auto per_minute = [](const Round& round) {
    return 60 * round.figures.judged / round.seconds;
  };

  std::printf("%d kernels, effort %s, provider %s\n", plain.figures.judged,
              std::string(name_of(effort)).c_str(), plain.provider.c_str());
  std::printf("%-28s %9s %9s %9s %6s %8s\n", "stage", "median ms", "10 %", "90 %", "ran",
              "catches");
  for (const auto& [stage, of_stage] : plain.figures.stages) {
    print_stage(std::string(name_of(stage)), of_stage);
  }
  print_stage("static, host sources only", read);
  std::printf("one after the other: %.1f a minute; next ones built meanwhile: %.1f a minute\n",
              per_minute(plain), per_minute(ahead));
  print_result(plain.figures, read, per_minute(plain), per_minute(ahead));
  return {};
}

}  // namespace
}  // namespace warpmind

int main(int argc, char** argv) {
  const std::size_t most = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : SIZE_MAX;
  const auto effort = warpmind::parse_enum<warpmind::Effort>(argc > 2 ? argv[2] : "normal");
  if (most == 0 || !effort) {
    std::fprintf(stderr, "usage: lab_stages_bench [CASES] [quick|normal|strict]\n");
    return 2;
  }
  const auto ran = warpmind::run(most, *effort);
  if (ran) return 0;
  std::fprintf(stderr, "lab_stages_bench: %s\n", ran.error().message.c_str());
  return ran.error().code == warpmind::Errc::unavailable ? 4 : 1;
}
