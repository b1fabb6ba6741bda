// What a kernel keeps from run to run is of no use to it in timed runs. The worker and its input
// ring are real; the device is the simulator.
#include "lab_places.h"
#include "tests/bench/gpu_timing/bench_lab.h"
#include "tests/bench/gpu_timing/planted_kernels.h"

#include <algorithm>

namespace warpmind::profilers {
namespace {

constexpr std::int64_t kThreads = 1024;
constexpr std::int64_t kSteps = 400;

/// The chain of multiply-adds with `shortcut` in front of it and `afterwards` behind it.
Kernel chain_with(const std::string& globals, const std::string& shortcut,
                  const std::string& afterwards) {
  Kernel kernel = bench::chain_kernel();
  std::string& source = kernel.source;
  const std::string begin = "  float value = x[i];\n";
  source.insert(source.find(begin), shortcut);
  const std::string store = "  y[i] = value;\n";
  source.insert(source.find(store) + store.size(), afterwards);
  source.insert(0, globals);
  return kernel;
}

class TimedRuns : public ::testing::Test {
 protected:
  void SetUp() override {
    config::Settings settings = places_.settings();
    use_own_programs(settings);
    bench::BenchOptions options;
    options.simulated = "h200";
    options.block_ms = 0.01;
    auto lab = bench::BenchLab::open(settings, options);
    ASSERT_TRUE(lab) << lab.error().message;
    lab_ = std::move(*lab);
    // Of a handful of exact values, a content would come again.
    task_.arguments[0].distributions = {Distribution::normal};
  }

  RunnerReport time(const Kernel& kernel, double most_ms = 1000) {
    auto report = lab_->time({task_, task_.workloads.front(), kernel}, false, most_ms);
    EXPECT_TRUE(report) << report.error().message;
    return report.value_or(RunnerReport{});
  }

  double run_ns(const Kernel& kernel) {
    std::vector<double> all;
    for (const auto& quad : time(kernel).quads) {
      all.insert(all.end(), quad.candidate_ns.begin(), quad.candidate_ns.end());
    }
    EXPECT_FALSE(all.empty());
    return all.empty() ? 0 : *std::min_element(all.begin(), all.end());
  }

  LabPlaces places_;
  Task task_ = bench::chain_task("chain", kThreads, kSteps);
  std::unique_ptr<bench::BenchLab> lab_;
};

TEST_F(TimedRuns, NeverShowAKernelInputsThatItKnows) {
  const Kernel memo =
      chain_with("__device__ float known[1024], kept[1024];\n",
                 "  if (known[i] == x[i]) {\n    y[i] = kept[i];\n    return;\n  }\n",
                 "  known[i] = x[i];\n  kept[i] = value;\n");
  EXPECT_GE(run_ns(memo), run_ns(bench::chain_kernel()));
}

TEST_F(TimedRuns, NeverShowAKernelItsOutput) {
  const Kernel lazy =
      chain_with("", "  if (y[i] == y[i]) return;  // no poison: it was here\n", "");
  EXPECT_GE(run_ns(lazy), run_ns(bench::chain_kernel()));
}

TEST_F(TimedRuns, KeepNothingInScratch) {
  Kernel lazy = chain_with("", "  if (done[i] == 1234567) return;\n", "  done[i] = 1234567;\n");
  const std::string list = "(const float* x, float* y,";
  lazy.source.replace(lazy.source.find(list), list.size(), "(int* done, const float* x, float* y,");
  lazy.plan.scratch = {{"done", Dtype::i32, "n"}};
  auto& arguments = lazy.plan.launches[0].arguments;
  arguments.insert(arguments.begin(), "done");
  EXPECT_GE(run_ns(lazy), run_ns(bench::chain_kernel()));
}

TEST_F(TimedRuns, AreFewerOfAKernelThatRunsForLong) {
  EXPECT_EQ(time(bench::chain_kernel()).quads.size(), 10U);
  EXPECT_EQ(time(bench::chain_kernel(), 1e-6).quads.size(), 3U);
}

}  // namespace
}  // namespace warpmind::profilers
