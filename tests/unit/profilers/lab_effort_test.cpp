// What an effort buys: hidden shapes, relations between runs, more runs. On the simulator, where
// everything else is real.
#include "config/device_table.h"
#include "lab_places.h"
#include "profilers/lab/effort_plan.h"
#include "profilers/lab/hidden_oracle.h"
#include "profilers/simulated_kernel_lab.h"
#include "profilers/worker_kernel_lab.h"
#include "twice_task.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(EffortPlan, StrictChecksMoreAndQuickLessThanNormal) {
  const config::LabSettings settings;
  const EffortPlan quick = plan_for(Effort::quick, settings);
  const EffortPlan normal = plan_for(Effort::normal, settings);
  const EffortPlan strict = plan_for(Effort::strict, settings);
  EXPECT_GE(quick.seeds, 2);
  EXPECT_LT(quick.seeds, normal.seeds);
  EXPECT_EQ(quick.hidden_workloads, 0);
  EXPECT_GE(normal.seeds, 5);
  EXPECT_EQ(normal.runs, 3);
  EXPECT_EQ(strict.seeds, 2 * normal.seeds);
  EXPECT_EQ(strict.hidden_workloads, 3 * normal.hidden_workloads);
  EXPECT_TRUE(strict.relations_everywhere);
}

TEST(HiddenWorkloads, AreDrawnFromTheRangesAndNothingElse) {
  Task task = twice_task();
  for (Workload& workload : task.workloads) workload.sizes["m"] = 3;
  task.hidden = {{"n", 5, 50, 4}};
  std::set<std::int64_t> seen;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto drawn = draw_hidden_workloads(task, 2, seed);
    ASSERT_EQ(drawn.size(), 4U);
    for (const std::size_t i : {0U, 1U}) {
      Workload workload = drawn[i];
      const std::int64_t n = workload.sizes.at("n");
      EXPECT_TRUE(n >= 8 && n <= 48 && n % 4 == 0) << n;
      EXPECT_EQ(workload.sizes.at("m"), 3);
      EXPECT_FALSE(workload.timed);
      seen.insert(n);
    }
    EXPECT_LT(drawn[0].sizes.at("n"), drawn[1].sizes.at("n"));
  }
  EXPECT_EQ(seen.size(), 11U) << "every multiple from 8 to 48";
}

TEST(HiddenWorkloads, StraddlePowersOfTwoUpToTheTimedSizeThatCanBeComputed) {
  Task task = twice_task();  // timed: n = 65536; 4000 n operations
  task.hidden = {{"n", 5, 50, 1}};
  std::set<std::int64_t> seen;
  std::set<std::int64_t> first;
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const auto drawn = draw_hidden_workloads(task, 2, seed);
    ASSERT_EQ(drawn.size(), 4U);
    first.insert(drawn[2].sizes.at("n"));
    seen.insert(drawn[3].sizes.at("n"));
    EXPECT_EQ(drawn[3].name, "hidden3");
  }
  EXPECT_EQ(first, (std::set<std::int64_t>{4095, 4096, 4097})) << "16 M operations";
  for (const std::int64_t n : {7, 8, 9, 31, 32, 33, 255, 256, 257, 4097}) {
    EXPECT_TRUE(seen.contains(n)) << n;
  }
  EXPECT_EQ(*seen.rbegin(), 4097);
  task.hidden = {{"n", 8, 48, 4}};
  for (const auto& workload : draw_hidden_workloads(task, 2, 1)) {
    EXPECT_EQ(workload.sizes.at("n") % 4, 0);
  }
}

/// One lab for all tests: its build cache saves the compilers.
class LabEffortTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    const auto devices = config::DeviceTable::load();
    ASSERT_TRUE(devices) << devices.error().message;
    places_ = std::make_unique<LabPlaces>();
    auto settings = places_->settings();
    use_own_programs(settings);
    auto lab = SimulatedKernelLab::create(settings, *devices, "h200");
    ASSERT_TRUE(lab) << lab.error().message;
    lab_ = std::move(*lab);
  }
  static void TearDownTestSuite() {
    lab_.reset();
    places_.reset();
  }
  void SetUp() override {
    ASSERT_NE(lab_, nullptr);
    task_.hidden = {{"n", 2, 3000, 1}};
  }

  static Kernel kernel_with(const std::string& body) {
    Kernel kernel = twice_kernel();
    kernel.source =
        "__device__ int calls[1 << 16] = {};\n"
        "extern \"C\" __global__ void twice(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
        body + "\n}\n";
    return kernel;
  }

  Verdict judge(const Kernel& kernel, Effort effort = Effort::normal) {
    JudgeOrder order{task_, kernel};
    order.effort = effort;
    auto verdict = lab_->judge(order, {});
    EXPECT_TRUE(verdict) << verdict.error().message;
    return verdict.value_or(Verdict{});
  }

  static std::optional<StageReport> stage_of(const Verdict& verdict, Stage stage) {
    const auto found = std::find_if(verdict.stages.begin(), verdict.stages.end(),
                                    [stage](const StageReport& one) { return one.stage == stage; });
    return found == verdict.stages.end() ? std::nullopt : std::optional(*found);
  }

  inline static std::unique_ptr<LabPlaces> places_;
  inline static std::unique_ptr<SimulatedKernelLab> lab_;  // goes first
  Task task_ = twice_task();
};

TEST_F(LabEffortTest, AKernelForTheShownShapesFailsAtAHiddenOne) {
  const Kernel overfit = kernel_with(
      "  int end = n == 1000 || n == 65536 ? n : n - 1;\n  if (i < end) y[i] = 2.0f * x[i];");

  const Verdict caught = judge(overfit);
  EXPECT_EQ(caught.outcome, Outcome::wrong);
  EXPECT_THAT(caught.reason, HasSubstr("SHAPE_OVERFIT: right on every shown workload"));
  EXPECT_EQ(caught.stages.back().stage, Stage::hidden_oracle);
  ASSERT_TRUE(caught.correctness);
  EXPECT_FALSE(caught.correctness->passed);
  // Proposers read both: neither names the shape or an element.
  for (const std::string& text : {caught.reason, caught.correctness->worst_case}) {
    EXPECT_EQ(text.find_first_of("0123456789["), std::string::npos) << text;
  }

  const Verdict missed = judge(overfit, Effort::quick);
  EXPECT_EQ(missed.outcome, Outcome::same) << missed.reason;
  EXPECT_EQ(missed.effort, Effort::quick);
  EXPECT_FALSE(stage_of(missed, Stage::hidden_oracle));
}

TEST_F(LabEffortTest, TheHonestTwinPassesEveryEffort) {
  task_.relations = {{RelationKind::scaling, {"x"}, 1},
                     {RelationKind::additivity, {"x"}, 1},
                     {RelationKind::permutation, {"x"}, 1}};
  for (const Effort effort : {Effort::quick, Effort::normal, Effort::strict}) {
    const Verdict verdict = judge(task_.kernel, effort);
    EXPECT_EQ(verdict.outcome, Outcome::same) << name_of(effort) << ": " << verdict.reason;
    EXPECT_EQ(verdict.effort, effort);
    const auto hidden = stage_of(verdict, Stage::hidden_oracle);
    const auto full = stage_of(verdict, Stage::full_oracle);
    ASSERT_TRUE(full);
    const bool quick = effort == Effort::quick;
    EXPECT_EQ(hidden.has_value(), !quick);
    EXPECT_EQ(full->detail.find("groups of runs agree") == std::string::npos, quick)
        << full->detail;
    const auto oracles =
        std::count_if(verdict.stages.begin(), verdict.stages.end(),
                      [](const StageReport& one) { return one.stage == Stage::full_oracle; });
    EXPECT_EQ(oracles, quick ? 1 : 2) << "a sketch leaves the timed workloads out";
    ASSERT_TRUE(verdict.measurement);
    EXPECT_GT(verdict.measurement->median_ns, 0);
    for (const StageReport& stage : verdict.stages) EXPECT_GE(stage.seconds, 0);
  }
}

TEST_F(LabEffortTest, TheGivenKernelIsToldWhereItFails) {
  task_.kernel = kernel_with(
      "  int end = n == 1000 || n == 65536 ? n : n - 1;\n  if (i < end) y[i] = 2.0f * x[i];");
  const Verdict verdict = judge(task_.kernel);
  EXPECT_EQ(verdict.outcome, Outcome::wrong);
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("the given kernel fails on a workload from the"),
                                    HasSubstr("n = "), HasSubstr("wrong result at hidden")));
}

TEST_F(LabEffortTest, ARelationSeesWhatAWrongReferenceHides) {
  const std::string right = "2 * call.input(\"x\")[i]";
  task_.reference.replace(task_.reference.find(right), right.size(), right + " + 1");
  const Kernel affine = kernel_with("  if (i < n) y[i] = 2.0f * x[i] + 1.0f;");
  EXPECT_EQ(judge(affine).outcome, Outcome::same) << "kernel and reference agree";

  task_.relations = {{RelationKind::scaling, {"x"}, 1}};
  const Verdict verdict = judge(affine);
  EXPECT_EQ(verdict.outcome, Outcome::wrong);
  EXPECT_EQ(verdict.stages.back().stage, Stage::full_oracle);
  EXPECT_THAT(verdict.reason, HasSubstr("a relation of the task does not hold: scaling of x by "));
}

TEST_F(LabEffortTest, AThirdRunThatDiffersIsSeen) {
  const Kernel third = kernel_with(
      "  if (i < n) { int call = calls[i]++; y[i] = call % 3 == 2 ? 1.0f : 2.0f * x[i]; }");
  const Verdict verdict = judge(third);
  EXPECT_EQ(verdict.outcome, Outcome::wrong);
  EXPECT_EQ(verdict.stages.back().stage, Stage::tiny_oracle);
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("is not deterministic: run 3 on the same inputs"),
                                    Not(HasSubstr("run 2"))));
}

TEST_F(LabEffortTest, RunsThatMayDifferStayWithinAQuarterOfTheTolerance) {
  task_.contract.deterministic = false;
  task_.contract.ulp = 8;
  const auto drifting = [](int ulp) {
    return kernel_with(
        "  if (i < n) { int call = calls[i]++;\n"
        "    float exact = 2.0f * x[i];\n"
        "    y[i] = __int_as_float(__float_as_int(exact) + (isfinite(exact) ? call % 2 * " +
        std::to_string(ulp) + " : 0)); }");
  };
  EXPECT_EQ(judge(drifting(1)).outcome, Outcome::same);
  const Verdict wide = judge(drifting(6));
  EXPECT_EQ(wide.outcome, Outcome::wrong);
  EXPECT_THAT(wide.reason, HasSubstr("differ by more than a quarter of the tolerance"));
}

/// The lab of a GPU, in whose place the simulator's runtime stands. Before it everything is as on a
/// GPU: the simulator's own checks come first.
class PrefilterTest : public LabEffortTest {
 protected:
  void SetUp() override {
    LabEffortTest::SetUp();
    auto settings = places_->settings();
    use_own_programs(settings);
    settings.lab.cuda_runtime = settings.lab.simulator;
    settings.lab.prefilter = true;
    auto lab = WorkerKernelLab::create(settings, *config::DeviceTable::load());
    ASSERT_TRUE(lab) << lab.error().message;
    gpu_ = std::move(*lab);
    task_.hidden.clear();
    task_.workloads = {{"recorded", {{"n", 1000}}, true}};
  }
  void TearDown() override { gpu_.reset(); }

  StageReport simulation_of(const Kernel& kernel) {
    JudgeOrder order{task_, kernel};
    order.effort = Effort::quick;
    const auto verdict = gpu_->judge(order, {});
    EXPECT_TRUE(verdict) << verdict.error().message;
    if (!verdict) return {};
    return stage_of(*verdict, Stage::simulation).value_or(StageReport{});
  }
  static Kernel padded(Kernel kernel, const std::string& grid) {
    kernel.plan.launches[0].grid[0] = grid;
    return kernel;
  }

  std::unique_ptr<WorkerKernelLab> gpu_;
};

TEST_F(PrefilterTest, APaddedGridIsLookedAt) {
  const StageReport stage = simulation_of(
      padded(kernel_with("  if (i < n) y[i] = 2.0f * x[i + (i == 7 ? n : 0)];"), "4096"));

  EXPECT_FALSE(stage.passed);
  EXPECT_THAT(stage.detail, AllOf(HasSubstr("global out of bounds"), HasSubstr("line 4")));
}

TEST_F(PrefilterTest, ABlockThatWaitsInAPaddedGridIsFound) {
  const StageReport stage =
      simulation_of(padded(kernel_with("  if (blockIdx.x >= 4) return;\n"
                                       "  if (threadIdx.x == 0) {\n"
                                       "    atomicAdd(calls, 1);\n"
                                       "    while (*(volatile int*)calls < 4) {}\n"
                                       "  }\n"
                                       "  __syncthreads();\n"
                                       "  if (i < n) y[i] = 2.0f * x[i];"),
                           "4096"));

  EXPECT_FALSE(stage.passed);
  EXPECT_THAT(stage.detail, AllOf(HasSubstr("block waits for another block"), HasSubstr("line 7"),
                                  HasSubstr("declare cooperative = true or do not wait")));
}

TEST_F(PrefilterTest, MoreWorkThanItsShareIsSampledAndSaid) {
  const Kernel busy = kernel_with(
      "  float sum = 0.0f;\n"
      "  for (int k = 0; k < 4000; ++k) sum += sinf(sum + k);\n"
      "  if (i < n) y[i] = 3.0f * x[i] + (sum == 0.5f ? 1.0f : 0.0f);");
  const StageReport stage = simulation_of(padded(busy, "1024"));

  EXPECT_TRUE(stage.passed) << stage.detail;
  EXPECT_THAT(stage.detail, HasSubstr("a sample: of 1024 blocks of twice, "));
}

TEST_F(PrefilterTest, APaddedGridThatIsLittleWorkRunsWholeAndTheGpuDecidesAboutResults) {
  const StageReport stage =
      simulation_of(padded(kernel_with("  if (i < n) y[i] = 3.0f * x[i];"), "300"));

  EXPECT_TRUE(stage.passed) << stage.detail;
  EXPECT_THAT(stage.detail, HasSubstr("not decided: wrong result at recorded"));
}

}  // namespace
}  // namespace warpmind::profilers
