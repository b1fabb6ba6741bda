#include "profilers/simulated_kernel_lab.h"

#include "base/prediction_interval.h"
#include "config/device_table.h"
#include "lab_places.h"
#include "twice_task.h"

#include <algorithm>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// Everything is real: nvcc, sandbox, worker, judge, simulator.
class SimulatedKernelLabTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto devices = config::DeviceTable::load();
    ASSERT_TRUE(devices) << devices.error().message;
    devices_ = std::move(*devices);
    settings_ = places_.settings();
    use_own_programs(settings_);
    open("h200");
  }

  void open(const std::string& device) {
    auto lab = SimulatedKernelLab::create(settings_, devices_, device);
    ASSERT_TRUE(lab) << lab.error().message;
    lab_ = std::move(*lab);
  }

  /// The task's kernel with another body, launched in `block` threads over n elements.
  Kernel kernel_with(const std::string& body, const std::string& block = "BLOCK") const {
    Kernel kernel = task_.kernel;
    kernel.source =
        "extern \"C\" __global__ void twice(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n" +
        body + "\n}\n";
    kernel.plan.launches[0].block = {block, "1", "1"};
    return kernel;
  }

  Verdict judge(const Kernel& kernel, const Kernel* incumbent = nullptr) {
    auto verdict = lab_->judge({task_, kernel, incumbent}, {});
    EXPECT_TRUE(verdict) << verdict.error().message;
    return verdict.value_or(Verdict{});
  }

  LabPlaces places_;
  config::Settings settings_;
  config::DeviceTable devices_;
  Task task_ = twice_task();
  std::unique_ptr<SimulatedKernelLab> lab_;
};

TEST_F(SimulatedKernelLabTest, ABaselineIsCheckedAndPredicted) {
  const Verdict verdict = judge(task_.kernel);

  EXPECT_EQ(verdict.outcome, Outcome::same) << verdict.reason;
  EXPECT_THAT(verdict.reason, HasSubstr("predicted for NVIDIA H200"));
  ASSERT_TRUE(verdict.measurement);
  EXPECT_EQ(verdict.measurement->provider, Provider::sim);
  EXPECT_FALSE(verdict.measurement->bound.empty());
  EXPECT_FALSE(verdict.measurement->confidence.empty());
  EXPECT_EQ(has_interval(*verdict.measurement), verdict.measurement->confidence != "low");
  EXPECT_LT(verdict.measurement->low_ns, verdict.measurement->median_ns);
  EXPECT_TRUE(verdict.findings.empty());
  ASSERT_TRUE(verdict.profile);
  const KernelProfile& profile = verdict.profile->kernels.at(0);
  // n = 65536 floats: 2048 warps ask for 4 sectors each.
  EXPECT_EQ(profile.find("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"), 2048);
  EXPECT_EQ(profile.find("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"), 8192);
  EXPECT_THAT(verdict.profile->lines, Contains(Field(&LineProfile::line, 4)));
}

TEST_F(SimulatedKernelLabTest, TheLimitOfATaskFromAProgramIsWhatItsKernelComputes) {
  task_.reference.clear();
  task_.contract.tolerance = ToleranceClass::reduction;
  task_.cost.flops = "1";
  task_.kernel = kernel_with(
      "  if (i >= n) return;\n"
      "  float v = x[i];\n"
      "#pragma unroll 1\n"
      "  for (int k = 0; k < 20000; ++k) v = v * 0.99f + x[i];\n"
      "  y[i] = v;");
  task_.workloads = {{"large", {{"n", 4096}}, true}, {"tiny", {{"n", 1000}}, false}};
  task_.id = id_of(task_);

  const Verdict verdict = judge(task_.kernel);

  ASSERT_TRUE(verdict.measurement) << verdict.reason;
  const Limit& limit = verdict.measurement->limit;
  EXPECT_TRUE(limit.counted);
  EXPECT_EQ(limit.flops, 2.0 * 20000 * 4096);
  EXPECT_FALSE(limit.measured) << "no GPU was there";

  task_.kernel.source.replace(task_.kernel.source.find("k < 20000"), 9, "k < (int)x[0]");
  task_.id = id_of(task_);
  const Verdict by_data = judge(task_.kernel);
  ASSERT_TRUE(by_data.measurement) << by_data.reason;
  EXPECT_EQ(by_data.measurement->limit.ns, 0);
  EXPECT_THAT(by_data.measurement->limit.unknown, HasSubstr("twice"));
}

TEST_F(SimulatedKernelLabTest, OneThreadABlockIsSlowerAndTheWayBackIsFaster) {
  const Kernel narrow = kernel_with("  if (i < n) y[i] = 2.0f * x[i];", "1");

  const Verdict slower = judge(narrow, &task_.kernel);
  const Verdict faster = judge(task_.kernel, &narrow);

  EXPECT_EQ(slower.outcome, Outcome::regressed) << slower.reason;
  EXPECT_EQ(faster.outcome, Outcome::improved) << faster.reason;
  ASSERT_TRUE(faster.comparison);
  EXPECT_TRUE(claims_gain(*faster.comparison));
  EXPECT_EQ(faster.comparison->processes, 0);
  EXPECT_NEAR(faster.comparison->ratio * slower.comparison->ratio, 1, 1e-6);
}

TEST_F(SimulatedKernelLabTest, ARaceIsNamedWithItsLine) {
  const Verdict verdict =
      judge(kernel_with("  __shared__ float s[256];\n"
                        "  s[threadIdx.x] = i < n ? x[i] : 0;\n"
                        "  if (i < n) y[i] = s[255 - threadIdx.x] + "
                        "s[threadIdx.x] * 2 - s[255 - threadIdx.x];"));

  EXPECT_EQ(verdict.outcome, Outcome::wrong);
  EXPECT_EQ(verdict.stages.back().stage, Stage::simulation);
  EXPECT_THAT(verdict.findings, Contains(AllOf(Field(&SimulatorFinding::kind, HasSubstr("race")),
                                               Field(&SimulatorFinding::defect, true))));
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("twice line"), HasSubstr("thread")));
}

TEST_F(SimulatedKernelLabTest, AReadPastTheBufferIsSeenThoughResultsAreRight) {
  const Verdict verdict =
      judge(kernel_with("  float next = x[i < n ? i + 1 : 0];\n"
                        "  if (i < n) y[i] = 2.0f * x[i] + (next > 1e30f ? 1 : 0);"));

  EXPECT_EQ(verdict.outcome, Outcome::crashed);
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("global out of bounds"), HasSubstr("past the end")));
}

TEST_F(SimulatedKernelLabTest, ReadingTheOutputBeforeItIsWrittenIsSeen) {
  const Verdict verdict =
      judge(kernel_with("  if (i < n) { float old = y[i]; y[i] = 2.0f * x[i];\n"
                        "    if (old == 12345.0f) y[i] += 1; }"));

  EXPECT_EQ(verdict.outcome, Outcome::wrong);
  EXPECT_THAT(verdict.reason, HasSubstr("uninitialised global read"));
}

TEST_F(SimulatedKernelLabTest, SameValueStoresAreWastedWorkAndNoDefect) {
  const Verdict verdict =
      judge(kernel_with("  int j = i / 2;\n  if (j < n) y[j] = 2.0f * x[j];\n"
                        "  j += (n + 1) / 2;\n"
                        "  if (j < n) y[j] = 2.0f * x[j];"));

  EXPECT_EQ(verdict.outcome, Outcome::same) << verdict.reason;
  EXPECT_THAT(verdict.findings, Contains(Field(&SimulatorFinding::kind, "same-value stores")));
  EXPECT_THAT(verdict.findings, Not(Contains(Field(&SimulatorFinding::defect, true))));
}

TEST_F(SimulatedKernelLabTest, AnUnknownInstructionBlocksAndNamesItself) {
  const Verdict verdict =
      judge(kernel_with("  unsigned r; asm volatile(\"mov.u32 %0, %%pm0;\" : \"=r\"(r));\n"
                        "  if (i < n) y[i] = 2.0f * x[i] + (r == 77 ? 1 : 0);"));

  EXPECT_EQ(verdict.outcome, Outcome::blocked);
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("cannot run in the simulator"), HasSubstr("%pm0")));
}

TEST_F(SimulatedKernelLabTest, APredictionIsForTheDeviceThatWasAskedFor) {
  const Verdict on_h200 = judge(task_.kernel);
  open("t4");
  const Verdict on_t4 = judge(task_.kernel);

  ASSERT_TRUE(on_h200.measurement && on_t4.measurement);
  EXPECT_EQ(on_t4.measurement->device.compute_major, 7);
  EXPECT_GT(on_t4.measurement->median_ns, on_h200.measurement->median_ns);
}

TEST_F(SimulatedKernelLabTest, AnUnknownDeviceIsRefusedWithTheList) {
  const auto lab = SimulatedKernelLab::create(settings_, devices_, "h2000");

  ASSERT_FALSE(lab);
  EXPECT_EQ(lab.error().code, Errc::invalid_argument);
  EXPECT_THAT(lab.error().message, AllOf(HasSubstr("h2000"), HasSubstr("h200,")));
}

TEST_F(SimulatedKernelLabTest, WithoutItsRuntimeThereIsNoLab) {
  settings_.lab.simulator = places_.path();
  const auto lab = SimulatedKernelLab::create(settings_, devices_, "h200");

  ASSERT_FALSE(lab);
  EXPECT_EQ(lab.error().code, Errc::unavailable);
  EXPECT_THAT(lab.error().message, HasSubstr("lab.simulator"));
}

TEST_F(SimulatedKernelLabTest, APredictionIsForTheSizesAndNotForTheWorkloadsName) {
  const Verdict small = judge(task_.kernel);
  task_.workloads[0].sizes["n"] = 1 << 22;
  const Verdict large = judge(task_.kernel);

  ASSERT_TRUE(small.measurement && large.measurement);
  EXPECT_GT(large.measurement->median_ns, 2 * small.measurement->median_ns);

  Kernel unchanged = task_.kernel;
  unchanged.source += "// the same\n";
  const Verdict verdict = judge(unchanged, &task_.kernel);
  ASSERT_TRUE(verdict.comparison) << verdict.reason;
  EXPECT_NEAR(verdict.comparison->ratio, 1, 0.01);
}

/// A timed workload that is too large to be run as a whole.
class PartlyCheckedTest : public SimulatedKernelLabTest {
 protected:
  static constexpr std::int64_t kElements = 1 << 18;

  void SetUp() override {
    SimulatedKernelLabTest::SetUp();
    settings_.lab.simulated_ginst = 1e-3;
    open("h200");
    task_.workloads[0].sizes["n"] = kElements;
  }
};

TEST_F(PartlyCheckedTest, ASampleOfItsBlocksIsComparedElementByElement) {
  const Verdict verdict = judge(task_.kernel);

  EXPECT_EQ(verdict.outcome, Outcome::same) << verdict.reason;
  EXPECT_THAT(verdict.reason, HasSubstr("; partly checked"));
  ASSERT_TRUE(verdict.correctness);
  EXPECT_TRUE(verdict.correctness->passed);
  EXPECT_THAT(verdict.correctness->unchecked,
              AllOf(HasSubstr("partly checked: of workload 'large'"),
                    HasSubstr(" of 262144 elements were compared")));
  EXPECT_GT(verdict.correctness->elements, 20'000 + kElements / 32);
  EXPECT_LT(verdict.correctness->elements, 40'000 + kElements);
}

TEST_F(PartlyCheckedTest, WhatIsWrongOnTheTimedSizesAloneIsSeen) {
  const Verdict verdict = judge(
      kernel_with("  if (i < n) y[i] = n == 262144 && threadIdx.x == 7 ? 0.0f : 2.0f * x[i];"));

  EXPECT_EQ(verdict.outcome, Outcome::wrong) << verdict.reason;
  EXPECT_EQ(verdict.stages.back().stage, Stage::full_oracle);
  EXPECT_THAT(verdict.reason, HasSubstr("wrong result at large/"));
}

TEST_F(PartlyCheckedTest, AnAccessOutOfBoundsOnTheTimedSizesAloneIsSeen) {
  const Verdict verdict =
      // 4 GiB further on, where no other allocation lies.
      judge(kernel_with("  if (i < n) y[i] = 2.0f * x[n == 262144 ? i + 4096LL * n : i];"));

  EXPECT_EQ(verdict.outcome, Outcome::crashed) << verdict.reason;
}

TEST_F(PartlyCheckedTest, WhatLaterLaunchesReadOfMissingBlocksIsLeftOut) {
  Kernel two = task_.kernel;
  two.source =
      "extern \"C\" __global__ void half(const float* x, float* part, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  float sum = 0.0f;\n"
      "  for (int r = 0; r < 64; ++r) sum += i < n ? x[i] * 0.015625f : 0.0f;\n"
      "  if (i < n) part[i] = sum;\n}\n"
      "extern \"C\" __global__ void twice(const float* part, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) y[i] = fmaxf(part[i], -3.0e38f) + part[i];\n}\n";
  two.plan.scratch = {{"part", Dtype::f32, "n", false}};
  two.plan.launches.push_back(two.plan.launches[0]);
  two.plan.launches[0].kernel = "half";
  two.plan.launches[0].arguments = {"x", "part", "i32:n"};
  two.plan.launches[1].arguments = {"part", "y", "i32:n"};
  task_.contract.ulp = 256;
  const Verdict verdict = judge(two);

  EXPECT_EQ(verdict.outcome, Outcome::same) << verdict.reason;
  ASSERT_TRUE(verdict.correctness);
  EXPECT_THAT(verdict.correctness->unchecked, HasSubstr(" of 262144 elements were compared"));
}

/// What is made from a record of a program: one workload, timed, and the given kernel as reference.
class LargeWorkloadAloneTest : public PartlyCheckedTest {
 protected:
  void SetUp() override {
    PartlyCheckedTest::SetUp();
    task_.workloads = {{"recorded", {{"n", kElements}}, true}};
    task_.reference.clear();
    task_.contract.tolerance = ToleranceClass::reduction;
    task_.id = id_of(task_);
  }
};

TEST_F(LargeWorkloadAloneTest, ASampleOfItsBlocksIsJudged) {
  const Verdict verdict = judge(task_.kernel);

  EXPECT_EQ(verdict.outcome, Outcome::same) << verdict.reason;
  ASSERT_TRUE(verdict.correctness);
  EXPECT_TRUE(verdict.correctness->passed);
  EXPECT_THAT(verdict.correctness->unchecked, HasSubstr(" of 262144 elements were compared"));
  EXPECT_GT(verdict.correctness->elements, kElements / 32);
  EXPECT_LT(verdict.correctness->elements, kElements);
}

TEST_F(LargeWorkloadAloneTest, AWrongElementOfEachBlockIsSeen) {
  const Verdict verdict =
      judge(kernel_with("  if (i < n) y[i] = threadIdx.x == 7 ? 0.0f : 2.0f * x[i];"));

  EXPECT_EQ(verdict.outcome, Outcome::wrong) << verdict.reason;
  EXPECT_THAT(verdict.reason, HasSubstr("wrong result at recorded/"));
}

TEST_F(LargeWorkloadAloneTest, TheChecksLookAtASample) {
  const Verdict verdict = judge(kernel_with(
      "  float s = 0.0f;\n"
      "  for (int k = 0; k < 2000; ++k) s += x[(i + k) % n];\n"
      "  if (i < n) y[i] = 2.0f * x[threadIdx.x == 7 ? i + 4096LL * n : i] + (s == 0.5f);"));

  EXPECT_EQ(verdict.outcome, Outcome::crashed) << verdict.reason;
  EXPECT_EQ(verdict.stages.back().stage, Stage::simulation);
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("global out of bounds"), HasSubstr("line 5")));
}

TEST_F(LargeWorkloadAloneTest, WhatASampleCannotTellRunsWholeWhereThatIsHalfAMinute) {
  Kernel counting = kernel_with("  if (i < n) y[i] = 2.0f * x[i];\n  atomicAdd(&blocks, 1);");
  counting.source = "__device__ int blocks = 0;\n" + counting.source;
  const Verdict verdict = judge(counting);

  EXPECT_EQ(verdict.outcome, Outcome::same) << verdict.reason;
  ASSERT_TRUE(verdict.correctness);
  EXPECT_EQ(verdict.correctness->elements, kElements);
  EXPECT_THAT(verdict.correctness->unchecked, IsEmpty());
}

TEST_F(LargeWorkloadAloneTest, ALaunchThatNeedsAllOfTheOneBeforeRunsWhole) {
  Kernel two = task_.kernel;
  two.source =
      "extern \"C\" __global__ void first(const float* x, float* part, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  if (i < n) part[i] = 2.0f * x[i];\n}\n"
      "extern \"C\" __global__ void twice(const float* part, float* y, int n) {\n"
      "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
      "  int unusual = 0;\n"
      "  for (int k = 0; k < n; k += 997) unusual += __float_as_int(part[k]) == 12345;\n"
      "  if (i < n) y[i] = unusual == 7777 ? 0.0f : part[i];\n}\n";
  two.plan.scratch = {{"part", Dtype::f32, "n", false}};
  two.plan.launches.push_back(two.plan.launches[0]);
  two.plan.launches[0].kernel = "first";
  two.plan.launches[0].arguments = {"x", "part", "i32:n"};
  two.plan.launches[1].arguments = {"part", "y", "i32:n"};
  const Verdict verdict = judge(two);

  EXPECT_EQ(verdict.outcome, Outcome::same) << verdict.reason;
  ASSERT_TRUE(verdict.correctness);
  EXPECT_EQ(verdict.correctness->elements, kElements);
}

TEST_F(PartlyCheckedTest, BlocksThatMeetInMemoryAreNotComparedAndItIsSaid) {
  const Verdict verdict = judge(kernel_with("  if (i < n) atomicExch(y + i, 2.0f * x[i]);"));

  EXPECT_EQ(verdict.outcome, Outcome::same) << verdict.reason;
  ASSERT_TRUE(verdict.correctness);
  EXPECT_THAT(verdict.correctness->unchecked,
              AllOf(HasSubstr("was not run"), HasSubstr("add to the same memory")));
}

/// Host functions share the simulator's process.
class HostFunctionTest : public SimulatedKernelLabTest {
 protected:
  /// `before` and `after` stand around the launch in the host function.
  static Kernel host_kernel(const std::string& before, const std::string& after = "") {
    Kernel kernel;
    kernel.tier = Tier::b;
    kernel.entry = "run";
    kernel.source =
        "#include <cuda_runtime.h>\n"
        "extern \"C\" int ftruncate(int, long);\nextern \"C\" int unlink(const char*);\n"
        "extern \"C\" int symlink(const char*, const char*);\n"
        "__global__ void nothing() {}\n"
        "__global__ void twice(const float* x, float* y, int n) {\n"
        "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) y[i] = 2.0f * x[i];\n}\n"
        "extern \"C\" int run(const float* x, float* y, int n, cudaStream_t stream) {\n" +
        before + "  twice<<<(n + 255) / 256, 256, 0, stream>>>(x, y, n);\n" + after +
        "  return 0;\n}\n";
    return kernel;
  }

  void SetUp() override {
    SimulatedKernelLabTest::SetUp();
    Argument n;
    n.name = "n";
    n.kind = ArgumentKind::scalar;
    n.dtype = Dtype::i32;
    n.value = "n";
    task_.arguments.push_back(n);
    task_.kernel = host_kernel("");
  }
};

TEST_F(HostFunctionTest, NeedsNoLaunchInItsPlan) {
  ASSERT_TRUE(task_.kernel.plan.launches.empty());
  const Verdict verdict = judge(task_.kernel);
  EXPECT_EQ(verdict.outcome, Outcome::same) << verdict.reason;
}

TEST_F(HostFunctionTest, WorkOfItsOwnIsPartOfTheTime) {
  const Verdict idle = judge(task_.kernel);
  const Verdict busy =
      judge(host_kernel("  volatile double sum = 0;\n"
                        "  for (int r = 0; r < 2000000; ++r) sum = sum + 1.0 / (r + 1);\n"));

  ASSERT_TRUE(idle.measurement && busy.measurement) << busy.reason;
  EXPECT_GT(busy.measurement->median_ns, 50 * idle.measurement->median_ns);
}

TEST_F(HostFunctionTest, ACutReportIsNoticed) {
  const Verdict verdict = judge(host_kernel("", R"(
  cudaStreamSynchronize(stream);
  for (int fd = 3; fd < 40; ++fd) (void)!ftruncate(fd, 0);
  nothing<<<1, 32, 0, stream>>>();
)"));
  EXPECT_EQ(verdict.outcome, Outcome::crashed) << verdict.reason;
  EXPECT_THAT(verdict.reason, HasSubstr("report was changed while the kernel ran"));
}

TEST_F(HostFunctionTest, AReportThatIsGoneOrALinkIsNoticed) {
  for (const char* trick : {"  unlink(\"out/simulation.jsonl\");\n",
                            "  unlink(\"out/simulation.jsonl\");\n"
                            "  (void)!symlink(\"/etc/hostname\", \"out/simulation.jsonl\");\n"}) {
    const Verdict verdict = judge(host_kernel("", trick));
    EXPECT_EQ(verdict.outcome, Outcome::crashed) << trick << verdict.reason;
    EXPECT_THAT(verdict.reason, HasSubstr("report")) << trick;
  }
}

TEST_F(SimulatedKernelLabTest, APredictionMeetsAKernelThatHasNotRunYet) {
  const std::string work =
      "  float sum = 0.0f;\n"
      "  for (int r = 0; r < 2000; ++r) sum += __sinf(r + sum);\n"
      "  if (i < n) y[i] = sum > 1e30f ? 0.0f : 2.0f * x[i];\n";
  const Verdict always = judge(kernel_with(work));
  Kernel once = kernel_with(
      "  __shared__ int calls;\n"
      "  if (threadIdx.x == 0) calls = seen[blockIdx.x]++;\n"
      "  __syncthreads();\n"
      "  if (calls % 3 != 0) { if (i < n) y[i] = 2.0f * x[i]; return; }\n" +
      work);
  once.source.insert(0, "__device__ int seen[4096];\n");
  const Verdict kept = judge(once);

  ASSERT_TRUE(always.measurement && kept.measurement) << kept.reason;
  EXPECT_NEAR(kept.measurement->median_ns / always.measurement->median_ns, 1, 0.25);
}

}  // namespace
}  // namespace warpmind::profilers
