// The corpus on the lab of this machine's GPU, each cheat twice:
//   RedOnLab     as the lab ships, and as a candidate that wants to beat the task's own kernel
//   RedOnDevice  without the simulator's checks, with effort strict: what the device and its tools
//                see for themselves
//   RedOnTimer   cheats that compute the right thing and keep it, without the simulator's checks
//                against the task's own kernel: no timed run may find what it kept
// Honest kernels are judged as the lab ships, which is the stricter. Ends with a summary of each
// and a RESULT line; with 4, and the reason, where there is no GPU. Longer than a time limit
// allows? GTEST_TOTAL_SHARDS and GTEST_SHARD_INDEX judge it in parts, --gtest_repeat=3 looks for
// flips.
#include "base/model/verdict_reading.h"
#include "config/device_table.h"
#include "profilers/worker_kernel_lab.h"
#include "tests/redteam/red_suite.h"
#include "tests/redteam/small_task.h"
#include "tests/unit/profilers/lab_places.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <memory>

namespace warpmind::redteam {
namespace {

constexpr int kNoDevice = 4;

/// Timed workloads are halved down to this, still cold in L2: 131 kernels share ten minutes.
constexpr std::int64_t kMostTimedBytes = std::int64_t{64} << 20U;
/// Who is right is asked here, not how fast: two confirming processes see the timed launches.
constexpr std::int64_t kProcesses = 2;

struct GivenTask {
  Task task;
  double baseline_error = 0;
};

/// The labs and the tasks' own kernels, kept from case to case as a daemon does.
struct GpuBench {
  profilers::LabPlaces places;
  std::unique_ptr<profilers::WorkerKernelLab> whole;
  std::unique_ptr<profilers::WorkerKernelLab> device_alone;
  std::map<std::string, GivenTask> tasks;
  Tally on_sources;
  Tally on_lab;
  Tally on_device;
  Tally on_timer;
};

GpuBench*& bench() {
  static GpuBench* the_bench = nullptr;
  return the_bench;
}

Result<std::unique_ptr<profilers::WorkerKernelLab>> open_lab(const GpuBench& with, bool prefilter) {
  WARPMIND_TRY(const auto devices, config::DeviceTable::load());
  config::Settings settings = with.places.settings();
  use_suite_settings(settings);
  settings.lab.prefilter = prefilter;
  settings.lab.confirm_processes = kProcesses;
  return profilers::WorkerKernelLab::create(settings, devices);
}

/// Errors: as WorkerKernelLab::create and device().
Result<std::string> open_labs(GpuBench& with) {
  WARPMIND_TRY(with.whole, open_lab(with, true));
  WARPMIND_TRY(with.device_alone, open_lab(with, false));
  WARPMIND_TRY(const DeviceIdentity device, with.whole->device());
  return device.name;
}

/// The task with the error of its own kernel, which is judged once. Errors: as judge().
Result<const GivenTask*> given_task(const std::string& name) {
  auto& tasks = bench()->tasks;
  if (const auto known = tasks.find(name); known != tasks.end()) return &known->second;
  GivenTask given;
  WARPMIND_TRY(given.task, corpus_task(name));
  WARPMIND_CHECK(shrink_timed(given.task, kMostTimedBytes));
  const Kernel& kernel = given.task.kernel;
  WARPMIND_TRY(const Verdict verdict,
               bench()->whole->judge({.task = given.task, .kernel = kernel}, {}));
  // It may be blocked, on a machine too busy to time on: right it must be all the same.
  if (is_failure(verdict.outcome) || !verdict.correctness) {
    return fail(Errc::external_failure, "the kernel of task " + name + " is " +
                                            std::string(name_of(verdict.outcome)) + ": " +
                                            verdict.reason);
  }
  given.baseline_error = verdict.correctness->baseline_error;
  return &tasks.emplace(name, std::move(given)).first->second;
}

void report(const RedCase& one, const Verdict& verdict, double seconds) {
  const std::string stage =
      verdict.stages.empty() ? "" : std::string(name_of(verdict.stages.back().stage));
  std::printf("  %-64s %-12s %-13s %5.1f s\n", one.name.c_str(),
              std::string(name_of(verdict.outcome)).c_str(), stage.c_str(), seconds);
  std::fflush(stdout);  // a run that is cut short has told what it saw
}

class RedCaseOnGpu : public testing::TestWithParam<RedCase> {
 protected:
  /// Judges and prints. Errors: as KernelLab::judge.
  static Result<Verdict> judge(profilers::KernelLab& lab, const RedCase& one, bool as_candidate) {
    WARPMIND_TRY(const GivenTask* given, given_task(one.task));
    const Kernel kernel = kernel_for(one, given->task);
    profilers::JudgeOrder order{.task = given->task, .kernel = kernel};
    if (as_candidate) {
      order.incumbent = &given->task.kernel;
      order.baseline_error = given->baseline_error;
    } else {
      order.effort = Effort::strict;  // a given kernel meets the sanitizer only there
    }
    const auto start = std::chrono::steady_clock::now();
    WARPMIND_TRY(Verdict verdict, lab.judge(order, {}));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    report(one, verdict, took.count());
    return verdict;
  }
};

class RedSource : public RedCaseOnGpu {};
class RedOnLab : public RedCaseOnGpu {};
class RedOnDevice : public RedCaseOnGpu {};
class RedOnTimer : public RedCaseOnGpu {};

TEST_P(RedSource, IsReadRight) {
  const Verdict verdict = judge_source(GetParam());
  const Fit fit = fit_of(GetParam(), verdict);
  bench()->on_sources.add(GetParam(), verdict, fit);
  expect_right(GetParam(), verdict, fit);
}

TEST_P(RedOnLab, GetsItsVerdict) {
  const auto verdict = judge(*bench()->whole, GetParam(), true);
  ASSERT_TRUE(verdict) << verdict.error().message;
  const Fit fit = fit_of(GetParam(), *verdict);
  bench()->on_lab.add(GetParam(), *verdict, fit);
  expect_right(GetParam(), *verdict, fit);
}

TEST_P(RedOnDevice, IsRefusedByTheDeviceAlone) {
  const auto verdict = judge(*bench()->device_alone, GetParam(), false);
  ASSERT_TRUE(verdict) << verdict.error().message;
  const Fit fit = fit_on_device_alone(GetParam(), *verdict);
  bench()->on_device.add(GetParam(), *verdict, fit);
  expect_right(GetParam(), *verdict, fit);
}

TEST_P(RedOnTimer, GainsNothing) {
  const auto verdict = judge(*bench()->device_alone, GetParam(), true);
  ASSERT_TRUE(verdict) << verdict.error().message;
  const Fit fit = fit_of(GetParam(), *verdict);
  bench()->on_timer.add(GetParam(), *verdict, fit);
  expect_right(GetParam(), *verdict, fit);
}

std::vector<RedCase> cases_with_task() {
  auto cases = corpus_with(true);
  std::erase_if(cases, [](const RedCase& one) { return one.simulator; });
  return cases;
}

std::vector<RedCase> cheats_with_task(bool no_gain) {
  auto cases = cases_with_task();
  std::erase_if(cases, [=](const RedCase& one) {
    return one.unseen || (no_gain ? !one.no_gain : !one.outcome);
  });
  return cases;
}

INSTANTIATE_TEST_SUITE_P(Corpus, RedSource, testing::ValuesIn(corpus_with(false)), test_name);
INSTANTIATE_TEST_SUITE_P(Corpus, RedOnLab, testing::ValuesIn(cases_with_task()), test_name);
INSTANTIATE_TEST_SUITE_P(Corpus, RedOnDevice, testing::ValuesIn(cheats_with_task(false)),
                         test_name);
INSTANTIATE_TEST_SUITE_P(Corpus, RedOnTimer, testing::ValuesIn(cheats_with_task(true)), test_name);

void print_summary(const GpuBench& of, double seconds) {
  std::printf("\nsources, static rules alone: %s\n", of.on_sources.describe().c_str());
  std::printf("kernels, the lab as it ships: %s\n", of.on_lab.describe().c_str());
  std::printf("kernels, the device alone: %s\n", of.on_device.describe().c_str());
  std::printf("kernels that keep what they computed, timed: %s\n", of.on_timer.describe().c_str());
  std::printf("RESULT provider=gpu%s%s%s%s seconds=%.0f\n",
              of.on_sources.figures("source_").c_str(), of.on_lab.figures("lab_").c_str(),
              of.on_device.figures("device_").c_str(), of.on_timer.figures("timer_").c_str(),
              seconds);
}

int run_all() {
  GpuBench the_bench;
  const auto device = open_labs(the_bench);
  if (!device) {
    std::printf("SKIPPED: the corpus needs a GPU: %s\n", device.error().message.c_str());
    return kNoDevice;
  }
  std::printf("the corpus on %s\n", device->c_str());
  bench() = &the_bench;
  const auto start = std::chrono::steady_clock::now();
  const int failed = RUN_ALL_TESTS();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  print_summary(the_bench, took.count());
  bench() = nullptr;
  return failed;
}

}  // namespace
}  // namespace warpmind::redteam

int main(int argc, char** argv) {
  testing::InitGoogleTest(&argc, argv);
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  return warpmind::redteam::run_all();
}
