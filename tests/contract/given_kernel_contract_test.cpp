/// Tasks whose reference is the given kernel, in the labs that run kernels: the simulator's on any
/// machine, with the label gpu that of a GPU.

#include "base/file.h"
#include "config/device_table.h"
#include "profilers/launch_record/buffer_contents.h"
#include "profilers/simulated_kernel_lab.h"
#include "profilers/worker_kernel_lab.h"
#include "tests/unit/profilers/lab_places.h"

#include <memory>
#include <string>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::HasSubstr;

constexpr const char* kHead =
    "extern \"C\" __global__ void rows(const float* x, float* y, int n, int width) {\n"
    "  const int r = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (r >= n) return;\n";

/// y[r] = sum of row r, one thread a row; the task has no reference.
Kernel row_kernel(const std::string& body) {
  Kernel kernel;
  kernel.source = std::string(kHead) + body + "\n}\n";
  Launch launch;
  launch.kernel = "rows";
  launch.grid = {"ceil_div(n, block_x)", "1", "1"};
  launch.block = {"64", "1", "1"};
  launch.arguments = {"x", "y", "i32:n", "i32:width"};
  kernel.plan.launches = {launch};
  return kernel;
}

constexpr const char* kForward =
    "  float sum = 0;\n"
    "  for (int c = 0; c < width; ++c) sum += x[r * width + c];\n"
    "  y[r] = sum;";

Task row_task(const std::string& body = kForward) {
  Task task;
  task.name = "row_sums";
  task.operator_family = "other";
  task.arguments = {{"x", ArgumentKind::in, Dtype::f32, {"n * width"}, "", {}},
                    {"y", ArgumentKind::out, Dtype::f32, {"n + 1"}, "", {}}};
  task.workloads = {{"recorded", {{"n", 130}, {"width", 300}}, true}};
  task.contract.tolerance = ToleranceClass::reduction;
  task.cost = {"4 * n * width", "1"};
  task.kernel = row_kernel(body);
  task.id = id_of(task);
  return task;
}

config::Settings settings_of(const LabPlaces& places) {
  auto settings = places.settings();
  use_own_programs(settings);
  settings.lab.confirm_processes = 3;
  settings.lab.counters = false;
  return settings;
}

class GivenKernelContract : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto devices = config::DeviceTable::load();
    ASSERT_TRUE(devices) << devices.error().message;
#ifdef WARPMIND_CONTRACT_ON_GPU
    auto lab = WorkerKernelLab::create(settings_of(places_), *devices);
#else
    auto lab = SimulatedKernelLab::create(settings_of(places_), *devices, "h200");
#endif
    if (!lab) GTEST_SKIP() << lab.error().message;
    if (const auto device = (*lab)->device(); !device) GTEST_SKIP() << device.error().message;
    lab_ = std::move(*lab);
  }

  Verdict judge(const Task& task, const Kernel& kernel, const Kernel* incumbent = nullptr) {
    auto verdict = lab_->judge({task, kernel, incumbent}, {});
    EXPECT_TRUE(verdict) << verdict.error().message;
    return verdict.value_or(Verdict{});
  }
  Verdict judge_candidate(const std::string& body) {
    return judge(task_, row_kernel(body), &task_.kernel);
  }
  Verdict judge_given(const std::string& body) {
    const Task task = row_task(body);
    return judge(task, task.kernel);
  }

  LabPlaces places_;
  Task task_ = row_task();
  std::unique_ptr<KernelLab> lab_;
};

TEST_F(GivenKernelContract, TheGivenKernelIsABaseline) {
  const Verdict verdict = judge(task_, task_.kernel);

  EXPECT_EQ(verdict.outcome, Outcome::same) << verdict.reason;
  ASSERT_TRUE(verdict.correctness);
  EXPECT_TRUE(verdict.correctness->passed);
  EXPECT_GE(verdict.correctness->cases, 5);
  EXPECT_EQ(verdict.correctness->baseline_error, 0);
  ASSERT_TRUE(verdict.measurement);
  EXPECT_GT(verdict.measurement->median_ns, 0);
}

TEST_F(GivenKernelContract, SumsInAnotherOrderAreRight) {
  const Verdict verdict = judge_candidate(
      "  float even = 0, odd = 0;\n"
      "  for (int c = 0; c + 1 < width; c += 2) {\n"
      "    even += x[r * width + c];\n"
      "    odd += x[r * width + c + 1];\n"
      "  }\n"
      "  if (width % 2) even += x[r * width + width - 1];\n"
      "  y[r] = even + odd;");

  ASSERT_TRUE(verdict.correctness);
  EXPECT_TRUE(verdict.correctness->passed) << verdict.reason;
  EXPECT_TRUE(verdict.comparison) << verdict.reason;
}

TEST_F(GivenKernelContract, ATermLessIsWrong) {
  const Verdict verdict = judge_candidate(
      "  float sum = 0;\n"
      "  for (int c = 0; c < width - 1; ++c) sum += x[r * width + c];\n"
      "  y[r] = sum;");

  EXPECT_EQ(verdict.outcome, Outcome::wrong);
  EXPECT_THAT(verdict.reason, HasSubstr("y["));
  EXPECT_FALSE(verdict.measurement);
}

TEST_F(GivenKernelContract, WritingWhereTheGivenKernelDoesNotIsWrong) {
  const Verdict verdict = judge_candidate(std::string(kForward) + "\n  if (r == 0) y[n] = 0;");

  EXPECT_EQ(verdict.outcome, Outcome::wrong);
  EXPECT_THAT(verdict.reason, HasSubstr("where the given kernel writes nothing"));
}

TEST_F(GivenKernelContract, AConstantOutputCannotBeJudged) {
  const Verdict verdict = judge_given("  y[r] = x[0] == 12345.0f ? x[r] * width : 1.0f;");

  EXPECT_EQ(verdict.outcome, Outcome::unjudgeable);
  EXPECT_THAT(verdict.reason, HasSubstr("as its own reference it cannot tell right from wrong: "
                                        "output 'y' is the same for all"));
  EXPECT_FALSE(verdict.measurement);
}

TEST_F(GivenKernelContract, AKernelThatWritesNothingCannotBeJudged) {
  const Verdict verdict = judge_given("  if (x[r] == 12345.0f) y[r] = width;");

  EXPECT_EQ(verdict.outcome, Outcome::unjudgeable);
  EXPECT_THAT(verdict.reason, HasSubstr("the kernel writes no element of output 'y'"));
}

/// y[0] += the sum of all rows, in any order.
Task atomic_task(const std::string& update) {
  Task task = row_task(
      "  float sum = 0;\n"
      "  for (int c = 0; c < width; ++c) sum += x[r * width + c];\n" +
      update);
  task.arguments[1].kind = ArgumentKind::inout;
  task.id = id_of(task);
  return task;
}

TEST_F(GivenKernelContract, FloatAtomicsAreJudgedByTheSpreadOfTheirRuns) {
  task_ = atomic_task("  atomicAdd(y, sum);");
  const Verdict given = judge(task_, task_.kernel);
  ASSERT_TRUE(given.correctness) << given.reason;
  EXPECT_TRUE(given.correctness->passed) << given.reason;
  EXPECT_NE(given.outcome, Outcome::unjudgeable) << given.reason;

  const Verdict other = judge_candidate(
      "  float sum = 0;\n"
      "  for (int c = width - 1; c >= 0; --c) sum += x[r * width + c];\n"
      "  atomicAdd(y, sum);");
  ASSERT_TRUE(other.correctness) << other.reason;
  EXPECT_TRUE(other.correctness->passed) << other.reason;

  const Verdict wrong = judge_candidate(
      "  float sum = 0;\n"
      "  for (int c = 0; c < width; ++c) sum += x[r * width + c];\n"
      "  if (r > 0) atomicAdd(y, sum);");
  EXPECT_EQ(wrong.outcome, Outcome::wrong);
  EXPECT_THAT(wrong.reason, HasSubstr("for the spread of perturbed runs"));
}

TEST_F(GivenKernelContract, ARunThatDecidesMoreThanRoundingCannotBeJudged) {
  const Task task = atomic_task("  atomicExch(y, sum);");
  const Verdict verdict = judge(task, task.kernel);

  EXPECT_EQ(verdict.outcome, Outcome::unjudgeable) << verdict.reason;
  EXPECT_THAT(verdict.reason, HasSubstr("give the task a reference"));
}

TEST_F(GivenKernelContract, ConstantsThatHostCodeFillsCannotBeJudged) {
  Task task = row_task("  y[r] = x[r * width] + weights[r % 7];");
  task.kernel.source = "__constant__ float weights[7];\n" + task.kernel.source;
  const Verdict verdict = judge(task, task.kernel);

  EXPECT_EQ(verdict.outcome, Outcome::unjudgeable);
  EXPECT_THAT(verdict.reason, HasSubstr("the program's host code fills 'weights'"));
}

/// y[to[r]] = x[r]: no two threads write one element where `to` is a permutation.
Task scatter_task(double high) {
  Task task = row_task("  y[to[r]] = x[r * width];");
  task.kernel.source.replace(task.kernel.source.find("float* y"), 8, "const int* to, float* y");
  Argument to{"to", ArgumentKind::in, Dtype::i32, {"n"}, "", {Distribution::index_range}};
  to.high = high;
  task.arguments.insert(task.arguments.begin() + 1, to);
  task.kernel.plan.launches[0].arguments = {"x", "to", "y", "i32:n", "i32:width"};
  return task;
}

TEST_F(GivenKernelContract, NobodyIsAccusedWithMadeUpIndices) {
  const Task task = scatter_task(1);
  const Verdict verdict = judge(task, task.kernel);

  EXPECT_EQ(verdict.outcome, Outcome::unjudgeable) << verdict.reason;
  EXPECT_THAT(verdict.reason, HasSubstr("its integers (to) are drawn from 0 and 1"));
}

constexpr const char* kMasked =
    "  float sum = 0;\n"
    "  for (int c = 0; c < len[r]; ++c) sum += x[r * width + c];\n"
    "  y[r] = sum;";

/// A kernel of masked sums. `len` of 130 rows is 1 … 300 as the program had it, or invented.
class RecordedLengths : public GivenKernelContract {
 protected:
  void SetUp() override {
    GivenKernelContract::SetUp();
    std::string bytes;
    for (int r = 0; r < 130; ++r) {
      const std::int32_t length = 1 + r * 37 % 300;
      bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    }
    const auto values = folder_.path() / kRecordedValuesFolder;
    std::filesystem::create_directories(values);
    ASSERT_TRUE(write_output_file(values / contents_name(bytes), bytes));
    recorded_.recorded = RecordedInput{};
    recorded_.recorded->values = contents_name(bytes);
    recorded_.recorded->low = 1;
    recorded_.recorded->high = 300;
  }

  static Kernel masked_kernel(const std::string& body) {
    Kernel kernel = row_kernel(body);
    kernel.source.replace(kernel.source.find("float* y"), 8, "const int* len, float* y");
    kernel.plan.launches[0].arguments = {"x", "len", "y", "i32:n", "i32:width"};
    return kernel;
  }
  Task masked_task(const Argument& lengths) const {
    Task task = row_task();
    task.arguments.insert(task.arguments.begin() + 1, lengths);
    task.kernel = masked_kernel(kMasked);
    task.directory = folder_.path().string();
    task.id = id_of(task);
    return task;
  }
  Verdict judge_masked(const Argument& lengths, const std::string& body) {
    const Task task = masked_task(lengths);
    return judge(task, masked_kernel(body), &task.kernel);
  }

  ScratchDirectory folder_ =
      *ScratchDirectory::create(std::filesystem::temp_directory_path(), "recorded_lengths");
  Argument recorded_{"len", ArgumentKind::in, Dtype::i32, {"n"}, "", {Distribution::recorded}};
  Argument invented_{"len", ArgumentKind::in, Dtype::i32, {"n"}, "", {Distribution::index_range}, 0,
                     1};
};

TEST_F(RecordedLengths, AKernelThatIsRightForInventedLengthsAloneIsWrong) {
  const std::string shortcut = "  y[r] = len[r] > 0 ? x[r * width] : 0;";
  EXPECT_NE(judge_masked(invented_, shortcut).outcome, Outcome::wrong);
  EXPECT_EQ(judge_masked(recorded_, shortcut).outcome, Outcome::wrong);
}

TEST_F(RecordedLengths, AKernelThatKnowsTheRecordedLengthsByHeartIsWrong) {
  const Verdict verdict =
      judge_masked(recorded_,
                   "  float sum = 0;\n"
                   "  const int known = 1 + r * 37 % 300;\n"
                   "  for (int c = 0; c < known; ++c) sum += x[r * width + c];\n"
                   "  y[r] = sum;");
  EXPECT_EQ(verdict.outcome, Outcome::wrong) << verdict.reason;
}

TEST_F(RecordedLengths, AnHonestKernelIsRightAndTimedOnTheProgramsOwnLengths) {
  const Task task = masked_task(recorded_);
  const Verdict given = judge(task, task.kernel);
  ASSERT_TRUE(given.measurement) << given.reason;
  const Task short_task = masked_task(invented_);
  const Verdict invented = judge(short_task, short_task.kernel);
  ASSERT_TRUE(invented.measurement) << invented.reason;
  EXPECT_GT(given.measurement->median_ns, 2 * invented.measurement->median_ns)
      << "rows of 1 to 300 take longer than rows of 0 or 1";

  const Verdict verdict = judge_masked(recorded_,
                                       "  float even = 0, odd = 0;\n"
                                       "  const int n_r = len[r];\n"
                                       "  for (int c = 0; c + 1 < n_r; c += 2) {\n"
                                       "    even += x[r * width + c];\n"
                                       "    odd += x[r * width + c + 1];\n"
                                       "  }\n"
                                       "  if (n_r % 2) even += x[r * width + n_r - 1];\n"
                                       "  y[r] = even + odd;");
  ASSERT_TRUE(verdict.correctness) << verdict.reason;
  EXPECT_TRUE(verdict.correctness->passed) << verdict.reason;
}

/// The kernel relies on where each integer stands, as one that follows links does.
TEST_F(RecordedLengths, AKernelThatFailsInAnotherOrderIsNotAccused) {
  std::string bytes;
  for (std::int32_t i = 0; i < 64; ++i) {
    const std::int32_t next = i == 63 ? 63 : (i * 7 + 3) % 63 == 0 ? 63 : (i * 7 + 3) % 63;
    bytes.append(reinterpret_cast<const char*>(&next), sizeof next);
  }
  ASSERT_TRUE(
      write_output_file(folder_.path() / kRecordedValuesFolder / contents_name(bytes), bytes));
  Argument next = recorded_;
  next.shape = {"64"};
  next.recorded->values = contents_name(bytes);
  Task task = masked_task(next);
  // Out of bounds as soon as one place holds what it did not when it was recorded.
  task.kernel = masked_kernel(
      "  const int want = r == 63 ? 63 : (r * 7 + 3) % 63 == 0 ? 63 : (r * 7 + 3) % 63;\n"
      "  y[r] = r < 64 ? x[(r * width) + (len[r] - want) * (1 << 24)] : 0;");
  task.id = id_of(task);
  const Verdict verdict = judge(task, task.kernel);
  EXPECT_EQ(verdict.outcome, Outcome::unjudgeable) << verdict.reason;
  EXPECT_THAT(verdict.reason, HasSubstr("with its recorded integers (len)"));
  task.arguments[1].recorded->reorder = false;
  task.id = id_of(task);
  EXPECT_EQ(judge(task, task.kernel).outcome, Outcome::same);
}

#ifndef WARPMIND_CONTRACT_ON_GPU
TEST_F(GivenKernelContract, ARaceOnIndicesOfTheTasksOwnIsTold) {
  const Task task = scatter_task(99);
  const Verdict verdict = judge(task, task.kernel);

  EXPECT_EQ(verdict.outcome, Outcome::wrong);
  EXPECT_THAT(verdict.reason, HasSubstr("race"));
}

TEST_F(GivenKernelContract, ASizeBeyondTheSimulatorIsNoEndlessLoop) {
  auto settings = settings_of(places_);
  settings.lab.case_timeout_s = 0.5;
  lab_ = SimulatedKernelLab::create(settings, *config::DeviceTable::load(), "h200").value();
  Task task = row_task();
  task.workloads[0].sizes = {{"n", 1 << 16}, {"width", 300}};
  const Verdict verdict = judge(task, task.kernel);

  EXPECT_EQ(verdict.outcome, Outcome::unjudgeable) << verdict.reason;
  EXPECT_THAT(verdict.reason, HasSubstr("of 1024 blocks of kernel rows"));
  EXPECT_THAT(verdict.reason, HasSubstr("beyond the simulator"));
}
#endif

TEST_F(GivenKernelContract, TwoKernelsCanBeCompared) {
  const auto comparison = lab_->compare({task_, task_.kernel, &task_.kernel}, {});

  ASSERT_TRUE(comparison) << comparison.error().message;
  EXPECT_NEAR(comparison->ratio, 1, 0.1);
}

TEST_F(GivenKernelContract, AGivenKernelThatDoesNotBuildIsTheTasksFault) {
  Task task = row_task("  y[r] = undefined_thing;");

  const Kernel candidate = row_kernel(kForward);
  const auto verdict = lab_->judge({task, candidate}, {});

  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, Errc::invalid_argument);
  EXPECT_THAT(verdict.error().message, HasSubstr("undefined_thing"));
}

}  // namespace
}  // namespace warpmind::profilers
