/// \file
/// Seconds from order to verdict for one candidate of row_softmax_f16, split by stage: with the
/// binary to be built (uncached) and with it in the build cache (cached). Needs a GPU.
///   judge_overhead_bench [TASK_DIRECTORY] [REPETITIONS]
/// Settings come from the environment (WARPMIND_*), as for the daemon.

#include "base/clock.h"
#include "base/sequence.h"
#include "config/device_table.h"
#include "config/settings_loader.h"
#include "config/task_file.h"
#include "profilers/worker_kernel_lab.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

namespace warpmind {
namespace {

struct Samples {
  std::vector<double> total_s;
  std::map<std::string, std::vector<double>> stage_s;

  void add(const Verdict& verdict, double seconds) {
    total_s.push_back(seconds);
    for (const auto& stage : verdict.stages) {
      stage_s[std::string(name_of(stage.stage))].push_back(stage.seconds);
    }
  }
};

void print(const char* title, const Samples& samples) {
  if (samples.total_s.empty()) return;
  const auto [low, high] = std::minmax_element(samples.total_s.begin(), samples.total_s.end());
  std::printf("%-10s %7.3f s median of %zu (%.3f to %.3f s)\n", title, median_of(samples.total_s),
              samples.total_s.size(), *low, *high);
  for (const auto& [stage, seconds] : samples.stage_s) {
    std::printf("  %-14s %7.3f s\n", stage.c_str(), median_of(seconds));
  }
}

Result<double> judge_once(profilers::KernelLab& lab, const profilers::JudgeOrder& order,
                          Samples& samples) {
  const SystemClock clock;
  const auto start = clock.monotonic();
  WARPMIND_TRY(const Verdict verdict, lab.judge(order, {}));
  const double seconds = std::chrono::duration<double>(clock.monotonic() - start).count();
  if (verdict.outcome == Outcome::blocked) return fail(Errc::unavailable, verdict.reason);
  if (verdict.outcome == Outcome::wrong || verdict.outcome == Outcome::build_failed) {
    return fail(Errc::external_failure, verdict.reason);
  }
  samples.add(verdict, seconds);
  return seconds;
}

Result<void> run(const std::string& directory, int repetitions) {
  WARPMIND_TRY(const config::LoadedSettings loaded,
               config::load_settings({std::nullopt, config::capture_environment(), {}, {}}));
  WARPMIND_TRY(const config::DeviceTable devices, config::DeviceTable::load());
  WARPMIND_TRY(const config::LoadedTask task, config::load_task(directory));
  WARPMIND_TRY(const auto lab, profilers::WorkerKernelLab::create(loaded.settings, devices));

  Samples baseline;
  Samples uncached;
  Samples cached;
  Samples faster;
  const Kernel& given = task.task.kernel;
  WARPMIND_CHECK(judge_once(*lab, {task.task, given}, baseline).map([](double) {}));
  for (int i = 0; i < repetitions; ++i) {
    // A comment makes the source new to the cache and leaves the machine code alone.
    Kernel candidate = given;
    candidate.source +=
        "\n// judge_overhead " + std::to_string(::getpid()) + "." + std::to_string(i) + "\n";
    const profilers::JudgeOrder order{task.task, candidate, &given, 1e-3, {}};
    WARPMIND_CHECK(judge_once(*lab, order, uncached).map([](double) {}));
    WARPMIND_CHECK(judge_once(*lab, order, cached).map([](double) {}));
  }
  Kernel small_blocks = given;
  for (auto& launch : small_blocks.plan.launches) launch.block = {"32", "1", "1"};
  WARPMIND_CHECK(
      judge_once(*lab, {task.task, small_blocks, &given, 1e-3, {}}, faster).map([](double) {}));
  print("baseline", baseline);
  print("uncached", uncached);
  print("cached", cached);
  print("confirmed", faster);
  std::printf("RESULT uncached_s=%.3f cached_s=%.3f confirmed_s=%.3f build_s=%.3f\n",
              median_of(uncached.total_s), median_of(cached.total_s), median_of(faster.total_s),
              median_of(uncached.stage_s["build"]));
  return {};
}

}  // namespace
}  // namespace warpmind

int main(int argc, char** argv) {
  const std::string directory = argc > 1 ? argv[1] : "tasks/row_softmax_f16";
  const int repetitions = argc > 2 ? std::max(1, std::atoi(argv[2])) : 5;
  const auto ran = warpmind::run(directory, repetitions);
  if (ran) return 0;
  std::fprintf(stderr, "judge_overhead_bench: %s\n", ran.error().message.c_str());
  return ran.error().code == warpmind::Errc::unavailable ? 4 : 1;
}
