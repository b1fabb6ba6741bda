#include "profilers/worker_kernel_lab.h"

#include "config/device_table.h"
#include "lab_places.h"
#include "profilers/environment_probe.h"
#include "profilers/fixture_kernel_lab.h"
#include "profilers/lab/device_floors.h"
#include "profilers/lab/kernel_judging.h"
#include "profilers/lab/profiling.h"
#include "profilers/lab_recording.h"
#include "profilers/recording_kernel_lab.h"
#include "twice_task.h"

#include <thread>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Field;
using ::testing::HasSubstr;
using ::testing::Not;

/// nvcc, sandbox and judge are the real ones; only the GPU is a program that knows y = 2 x.
class WorkerKernelLabTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto devices = config::DeviceTable::load();
    ASSERT_TRUE(devices) << devices.error().message;
    devices_ = std::move(*devices);
    settings_ = places_.settings();
    use_own_programs(settings_);
    settings_.lab.case_timeout_s = 60;
    open("stand_in");
  }

  void open(const std::string& runner) {
    lab_.reset();
    settings_.lab.worker = places_.runner(runner);
    auto lab = WorkerKernelLab::create(settings_, devices_);
    ASSERT_TRUE(lab) << lab.error().message;
    lab_ = std::move(*lab);
  }

  Verdict judge(const Kernel& kernel, const Kernel* incumbent = nullptr) {
    auto verdict = lab_->judge(order(kernel, incumbent), {});
    EXPECT_TRUE(verdict) << verdict.error().message;
    return verdict.value_or(Verdict{});
  }

  JudgeOrder order(const Kernel& kernel, const Kernel* incumbent) {
    return {task_, kernel, incumbent, 0, [this](Stage stage) { seen_.push_back(stage); }};
  }

  Verdict judge_against_right(const std::string& kind) {
    const Kernel candidate = twice_kernel(kind);
    return judge(candidate, &incumbent_);
  }

  [[nodiscard]] bool is_hanging() const {
    std::error_code ec;
    for (const auto& root : std::filesystem::directory_iterator(places_.path() / "scratch", ec)) {
      for (const auto& runner : std::filesystem::directory_iterator(root.path(), ec)) {
        if (std::filesystem::exists(runner.path() / "out" / "hanging", ec)) return true;
      }
    }
    return false;
  }

  void TearDown() override {
    lab_.reset();
    EXPECT_TRUE(places_.all_processes_gone());
    EXPECT_TRUE(std::filesystem::is_empty(places_.path() / "scratch"));
  }

  LabPlaces places_;
  config::Settings settings_;
  config::DeviceTable devices_;
  Task task_ = twice_task();
  Kernel incumbent_ = twice_kernel();
  std::vector<Stage> seen_;
  std::unique_ptr<WorkerKernelLab> lab_;
};

/// Right, with a kernel beside it whose forty sums do not fit into the registers that it may use.
Kernel spilling_kernel() {
  Kernel kernel = twice_kernel("fast");
  kernel.source +=
      "extern \"C\" __global__ void many(const float* x, float* y, int n) {\n"
      "  float sums[40];\n"
      "#pragma unroll\n"
      "  for (int k = 0; k < 40; ++k) sums[k] = x[k];\n"
      "  for (int j = 0; j < n; ++j) {\n"
      "#pragma unroll\n"
      "    for (int k = 0; k < 40; ++k) sums[k] = sums[k] * 0.5f + x[j];\n"
      "  }\n"
      "#pragma unroll\n"
      "  for (int k = 0; k < 40; ++k) y[k] = sums[k];\n"
      "}\n";
  kernel.build_flags = {"--maxrregcount=32"};
  return kernel;
}

TEST_F(WorkerKernelLabTest, ALargeWorkloadGetsTheTimeOfTheStageAndTheVerdictSaysWhatWasLeftOut) {
  const auto target = devices_.find("h200");
  ASSERT_TRUE(target);
  const auto sandbox = make_sandbox(settings_);
  ASSERT_TRUE(sandbox) << sandbox.error().message;
  const auto parts = make_lab_parts(settings_, devices_, *target, **sandbox);
  ASSERT_TRUE(parts) << parts.error().message;
  std::string said;
  const auto detail_of = [&](Stage stage) {
    const auto verdict = KernelJudging(**parts, order(task_.kernel, nullptr), {}).judge();
    EXPECT_TRUE(verdict) << verdict.error().message;
    if (!verdict) return std::string();
    EXPECT_EQ(verdict->outcome, Outcome::same) << verdict->reason;
    EXPECT_TRUE(verdict->measurement);
    said = verdict->reason;
    for (const auto& one : verdict->stages) {
      if (one.stage == stage) return one.detail;
    }
    return std::string("no such stage");
  };
  (*parts)->stage_seconds = 1e9;
  EXPECT_THAT(detail_of(Stage::full_oracle),
              AllOf(HasSubstr("16 cases"), Not(HasSubstr("left out"))));

  (*parts)->stage_seconds = 1e-3;
  EXPECT_THAT(
      detail_of(Stage::full_oracle),
      AllOf(HasSubstr("11 cases"), HasSubstr("left out: 5 of 6 inputs of 'large', one takes")));
  EXPECT_THAT(detail_of(Stage::timing), HasSubstr("left out: 1 of 3 processes"));
  EXPECT_THAT(said, HasSubstr("inputs and runs that take too long were left out"));
}

TEST(AffordableCounters, AreFewerForKernelsThatRunForLong) {
  EXPECT_EQ(affordable_counters(43e6), counter_names().size());
  EXPECT_LT(affordable_counters(500e6), counter_names().size());
  EXPECT_GT(affordable_counters(500e6), 0U);
  EXPECT_EQ(affordable_counters(10e9), 0U);
}

const StageReport* stage_of(const Verdict& verdict, Stage stage) {
  for (const auto& one : verdict.stages) {
    if (one.stage == stage) return &one;
  }
  return nullptr;
}

TEST_F(WorkerKernelLabTest, TheBestLibraryIsTimedOnceAndStandsInLaterVerdicts) {
  task_.operator_family = "copy";  // whatever its GPU computes passes: the runner knows one task
  task_.id = id_of(task_);
  const Verdict given = judge(task_.kernel);
  ASSERT_TRUE(given.measurement) << given.reason;
  const BestLibrary best = given.measurement->best_library;
  EXPECT_THAT(best.library, HasSubstr("CUDA runtime"));
  EXPECT_EQ(best.call, "cudaMemcpyAsync");
  EXPECT_NEAR(best.ns, 100'000, 1000);
  ASSERT_NE(stage_of(given, Stage::library), nullptr);
  EXPECT_THAT(stage_of(given, Stage::library)->detail, HasSubstr("cudaMemcpyAsync; 100 µs"));

  const Verdict candidate = judge_against_right("fast");
  ASSERT_TRUE(candidate.measurement) << candidate.reason;
  EXPECT_EQ(candidate.measurement->best_library, best);

  open("stand_in");  // as after a restart of the daemon
  const Verdict again = judge(task_.kernel);
  EXPECT_EQ(again.measurement->best_library, best);
  EXPECT_EQ(stage_of(again, Stage::library), nullptr) << "nothing was timed";
}

TEST_F(WorkerKernelLabTest, NoLibraryIsTimedWhereTheSettingForbidsOrNoneIsKnown) {
  EXPECT_EQ(judge(task_.kernel).measurement->best_library.unknown,
            "no library call is known that computes this");
  task_.operator_family = "copy";
  task_.id = id_of(task_);
  settings_.lab.library_baseline = false;
  open("stand_in");
  EXPECT_EQ(judge(task_.kernel).measurement->best_library, BestLibrary{}) << "nobody looked";
  JudgeOrder wanted = order(task_.kernel, nullptr);
  wanted.library = LibraryTiming::wanted;
  const auto verdict = lab_->judge(wanted, {});
  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_GT(verdict->measurement->best_library.ns, 0);
}

TEST_F(WorkerKernelLabTest, NewSpillsEndARewriteThatIsGated) {
  const Kernel spilling = spilling_kernel();
  JudgeOrder gated = order(spilling, &incumbent_);
  gated.refuse_new_spills = true;

  const auto verdict = lab_->judge(gated, {});

  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Outcome::build_failed);
  EXPECT_THAT(verdict->reason,
              AllOf(HasSubstr("new register spills: 'many' stores "), HasSubstr("lab.spill_gate")));
  EXPECT_THAT(seen_, ElementsAre(Stage::static_checks, Stage::build)) << "it never ran";
  EXPECT_FALSE(verdict->stages.back().passed);
  EXPECT_FALSE(verdict->measurement);
}

TEST_F(WorkerKernelLabTest, SpillsThatAreNotNewOrNotGatedAreMeasured) {
  const Kernel spilling = spilling_kernel();
  EXPECT_EQ(judge(spilling, &incumbent_).outcome, Outcome::improved) << "nobody asked for the gate";

  Kernel edited = spilling;
  edited.source += "// The same but for this line.\n";
  JudgeOrder gated = order(edited, &spilling);
  gated.refuse_new_spills = true;
  const auto old_spills = lab_->judge(gated, {});
  ASSERT_TRUE(old_spills) << old_spills.error().message;
  EXPECT_NE(old_spills->outcome, Outcome::build_failed) << old_spills->reason;

  settings_.lab.spill_gate = false;
  open("stand_in");
  JudgeOrder off = order(spilling, &incumbent_);
  off.refuse_new_spills = true;
  const auto ungated = lab_->judge(off, {});
  ASSERT_TRUE(ungated) << ungated.error().message;
  EXPECT_EQ(ungated->outcome, Outcome::improved) << ungated->reason;
}

TEST_F(WorkerKernelLabTest, ABaselineIsCheckedMeasuredAndProfiled) {
  const auto verdict = judge(task_.kernel);

  EXPECT_EQ(verdict.outcome, Outcome::same) << verdict.reason;
  EXPECT_THAT(
      seen_, ElementsAre(Stage::static_checks, Stage::build, Stage::tiny_oracle, Stage::full_oracle,
                         Stage::hidden_oracle, Stage::timing, Stage::profile));
  ASSERT_TRUE(verdict.correctness);
  EXPECT_TRUE(verdict.correctness->passed);
  // Each kind of inputs on the small workload, some on the timed one, and four new inputs of the
  // small one: the task has no hidden ranges.
  EXPECT_EQ(verdict.correctness->cases, 10 + settings_.lab.check_seeds + 4);
  ASSERT_TRUE(verdict.measurement);
  EXPECT_NEAR(verdict.measurement->median_ns, 100'000, 1000);
  EXPECT_LE(verdict.measurement->low_ns, verdict.measurement->median_ns);
  EXPECT_EQ(verdict.measurement->workload, "large");
  EXPECT_EQ(verdict.measurement->device.name, "NVIDIA H200");
  EXPECT_EQ(verdict.measurement->toolkit.substr(0, 3), "13.");
  EXPECT_TRUE(verdict.measurement->sandboxed);
  EXPECT_FALSE(verdict.comparison);
  ASSERT_TRUE(verdict.profile);
  EXPECT_EQ(verdict.profile->tier, ProfileTier::t1);
  EXPECT_THAT(verdict.profile->note, HasSubstr("counters are for root only"));
  EXPECT_TRUE(verdict.profile->kernels.at(0).find("warpmind__headroom_ratio"));
}

TEST_F(WorkerKernelLabTest, ALimitIsMadeOfWhatTheDeviceNeededAndThatIsTimedOnce) {
  const auto file = settings_.daemon.state_directory / "device_floors.json";
  std::filesystem::create_directories(settings_.daemon.state_directory);
  const Verdict first = judge(task_.kernel);
  ASSERT_TRUE(first.measurement) << first.reason;
  EXPECT_TRUE(first.measurement->limit.measured);
  EXPECT_NEAR(first.measurement->limit.ns, 100'000, 1000) << "the stand-in takes that for all";
  ASSERT_TRUE(std::filesystem::exists(file));

  DeviceFloors slower{150'000, {{16'384, 160'000}, {1 << 28, 170'000}}};
  ASSERT_TRUE(keep_floors(file, first.measurement->device, slower));
  EXPECT_EQ(judge(task_.kernel).measurement->limit.ns, first.measurement->limit.ns);
  open("stand_in");
  EXPECT_GT(judge(task_.kernel).measurement->limit.ns, 150'000) << "a new lab reads what is kept";
}

TEST_F(WorkerKernelLabTest, AFasterKernelIsImprovedByConfirmation) {
  const auto verdict = judge_against_right("fast");

  EXPECT_EQ(verdict.outcome, Outcome::improved) << verdict.reason;
  ASSERT_TRUE(verdict.comparison);
  EXPECT_NEAR(verdict.comparison->ratio, 1.25, 0.01);
  EXPECT_EQ(verdict.comparison->processes, settings_.lab.confirm_processes);
  ASSERT_TRUE(verdict.measurement);
  EXPECT_NEAR(verdict.measurement->median_ns, 80'000, 1000);
  EXPECT_THAT(seen_, testing::Contains(Stage::promotion));
  EXPECT_EQ(seen_.back(), Stage::profile);
}

TEST_F(WorkerKernelLabTest, AnEqualKernelIsTheSameAndLeavesNoMeasurement) {
  const auto verdict = judge_against_right("equal");

  EXPECT_EQ(verdict.outcome, Outcome::same) << verdict.reason;
  EXPECT_THAT(verdict.reason,
              testing::StartsWith("a tie with the kernel to beat, not promising: "));
  ASSERT_TRUE(verdict.comparison);
  EXPECT_EQ(verdict.comparison->processes, 1);
  EXPECT_FALSE(verdict.measurement);
}

TEST_F(WorkerKernelLabTest, ASlowerKernelIsRegressed) {
  const auto verdict = judge_against_right("slow");

  EXPECT_EQ(verdict.outcome, Outcome::regressed) << verdict.reason;
  EXPECT_FALSE(verdict.measurement);
}

TEST_F(WorkerKernelLabTest, OneWrongElementIsWrong) {
  const auto verdict = judge_against_right("wrong");

  EXPECT_EQ(verdict.outcome, Outcome::wrong);
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("tiny"), HasSubstr("999")));
  EXPECT_EQ(seen_.back(), Stage::tiny_oracle);
  EXPECT_FALSE(verdict.comparison);
}

TEST_F(WorkerKernelLabTest, ACrashIsCrashed) {
  const auto verdict = judge_against_right("crash");

  EXPECT_EQ(verdict.outcome, Outcome::crashed);
  EXPECT_THAT(verdict.reason, HasSubstr("signal 11"));
}

TEST_F(WorkerKernelLabTest, AFailedLaunchIsCrashed) {
  const auto verdict = judge_against_right("launch");

  EXPECT_EQ(verdict.outcome, Outcome::crashed);
  EXPECT_THAT(verdict.reason, HasSubstr("cudaErrorInvalidValue"));
}

TEST_F(WorkerKernelLabTest, AHangIsTimedOut) {
  settings_.lab.case_timeout_s = 0.3;
  open("stand_in");

  const auto verdict = judge_against_right("hang");

  EXPECT_EQ(verdict.outcome, Outcome::timed_out) << verdict.reason;
}

TEST_F(WorkerKernelLabTest, FasterThanLightIsCheating) {
  const auto verdict = judge_against_right("light");

  EXPECT_EQ(verdict.outcome, Outcome::cheating);
  EXPECT_THAT(verdict.reason, HasSubstr("at least"));
}

TEST_F(WorkerKernelLabTest, WrongOutputsOfTimedLaunchesAreCheating) {
  const auto verdict = judge_against_right("stale");

  EXPECT_EQ(verdict.outcome, Outcome::cheating);
  EXPECT_THAT(verdict.reason, HasSubstr("timed launches"));
}

TEST_F(WorkerKernelLabTest, WhatDoesNotBuildFailsWithItsText) {
  Kernel broken = twice_kernel();
  broken.source += "int x = undefined_thing;\n";
  Kernel unnamed = twice_kernel();
  unnamed.plan.launches[0].kernel = "thrice";
  Kernel bad_plan = twice_kernel();
  bad_plan.plan.launches[0].grid[0] = "n/0";
  Kernel nosy = twice_kernel();
  nosy.source += "#include \"/etc/shadow\"\n";

  EXPECT_THAT(judge(broken).build->diagnostics, HasSubstr("undefined_thing"));
  EXPECT_THAT(judge(broken).reason, HasSubstr("kernel.cu(6): error"));
  EXPECT_THAT(judge(unnamed).reason, HasSubstr("'thrice'"));
  EXPECT_THAT(judge(bad_plan).reason, HasSubstr("workload 'large'"));
  EXPECT_THAT(judge(nosy).reason, HasSubstr("/etc/shadow"));
  for (const auto& kernel : {broken, unnamed, bad_plan, nosy}) {
    EXPECT_EQ(judge(kernel).outcome, Outcome::build_failed);
  }
}

TEST_F(WorkerKernelLabTest, WithoutADeviceItBlocksWithTheStaticProfile) {
  open("no_device");

  const auto verdict = judge(task_.kernel);

  EXPECT_EQ(verdict.outcome, Outcome::blocked);
  EXPECT_THAT(verdict.reason, HasSubstr("no CUDA device"));
  ASSERT_TRUE(verdict.build);
  EXPECT_TRUE(verdict.build->succeeded);
  ASSERT_TRUE(verdict.profile);
  EXPECT_EQ(verdict.profile->tier, ProfileTier::t0);
  EXPECT_TRUE(verdict.profile->kernels.at(0).find("warpmind__theoretical_occupancy_pct"));
  EXPECT_EQ(lab_->device().error().code, Errc::unavailable);
  EXPECT_EQ(lab_->compare(order(task_.kernel, &incumbent_), {}).error().code, Errc::unavailable);
}

TEST_F(WorkerKernelLabTest, AReferenceThatDoesNotBuildIsTheTasksFault) {
  task_.reference = "nonsense";

  const auto verdict = lab_->judge(order(task_.kernel, nullptr), {});

  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, Errc::invalid_argument);
}

TEST_F(WorkerKernelLabTest, StopsWhenAsked) {
  std::stop_source source;
  const Kernel hanging = twice_kernel("hang");
  auto request = order(hanging, &incumbent_);
  request.on_stage = [&source](Stage stage) {
    if (stage == Stage::build) source.request_stop();
  };

  const auto verdict = lab_->judge(request, source.get_token());

  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, Errc::cancelled);
}

TEST_F(WorkerKernelLabTest, StopsARunnerThatHangs) {
  std::stop_source source;
  const Kernel hanging = twice_kernel("hang");
  std::jthread stopper([&] {
    // Once the runner hangs in its check, only the stop can end it.
    while (!is_hanging()) std::this_thread::yield();
    source.request_stop();
  });

  const auto verdict = lab_->judge(order(hanging, &incumbent_), source.get_token());

  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, Errc::cancelled);
}

TEST_F(WorkerKernelLabTest, ComparesTwoCorrectKernels) {
  const Kernel fast = twice_kernel("fast");

  const auto comparison = lab_->compare(order(fast, &incumbent_), {});

  ASSERT_TRUE(comparison) << comparison.error().message;
  EXPECT_NEAR(comparison->ratio, 1.25, 0.01);
  EXPECT_EQ(comparison->processes, settings_.lab.confirm_processes);
}

TEST_F(WorkerKernelLabTest, RefusesToStartWithoutItsPrograms) {
  auto settings = settings_;
  settings.lab.judge = places_.path() / "no-judge";

  const auto lab = WorkerKernelLab::create(settings, devices_);

  ASSERT_FALSE(lab);
  EXPECT_EQ(lab.error().code, Errc::unavailable);
  EXPECT_THAT(lab.error().message, HasSubstr("lab.judge"));
}

TEST_F(WorkerKernelLabTest, ARecordingSaysTheSameAgain) {
  const auto directory = places_.path() / "recording";
  auto recording = RecordingKernelLab::create(std::move(lab_), directory);
  ASSERT_TRUE(recording);
  const Kernel wrong = twice_kernel("wrong");
  const Kernel fast = twice_kernel("fast");
  const auto recorded = (*recording)->judge(order(wrong, &incumbent_), {});
  const auto device = (*recording)->device();
  const auto comparison = (*recording)->compare(order(fast, &incumbent_), {});
  ASSERT_TRUE(recorded && device && comparison);

  auto fixture = FixtureKernelLab::create(directory);

  ASSERT_TRUE(fixture) << fixture.error().message;
  EXPECT_EQ((*fixture)->judge(order(wrong, &incumbent_), {}).value(), *recorded);
  EXPECT_EQ((*fixture)->device().value(), *device);
  EXPECT_EQ((*fixture)->compare(order(fast, &incumbent_), {}).value(), *comparison);
  const auto unknown = (*fixture)->judge(order(task_.kernel, nullptr), {});
  ASSERT_TRUE(unknown);
  EXPECT_EQ(unknown->outcome, Outcome::blocked);
  EXPECT_THAT(unknown->reason, HasSubstr(id_of(task_.kernel).str()));
}

TEST(FixtureKernelLab, ReportsADamagedRecording) {
  LabPlaces places;
  const Task task = twice_task();
  const auto file = verdict_file(places.path(), task.kernel);
  auto lab = FixtureKernelLab::create(places.path());
  ASSERT_TRUE(lab);
  for (const char* text : {"{", "[]", "{\"verdict\": {\"outcome\": \"great\"}}"}) {
    std::ofstream(file) << text;
    const auto verdict = (*lab)->judge({task, task.kernel}, {});
    ASSERT_FALSE(verdict) << text;
    EXPECT_EQ(verdict.error().code, Errc::corrupt_data);
    EXPECT_THAT(verdict.error().message, HasSubstr(file.string()));
  }
}

TEST(FixtureKernelLab, NeedsItsDirectory) {
  const auto lab = FixtureKernelLab::create("/nonexistent/recordings");

  ASSERT_FALSE(lab);
  EXPECT_EQ(lab.error().code, Errc::not_found);
}

TEST(FixtureKernelLab, NeverPassesForAGpu) {
  LabPlaces places;
  const Task task = twice_task();
  Verdict verdict;
  verdict.outcome = Outcome::same;
  verdict.measurement = Measurement{};
  verdict.measurement->provider = Provider::gpu;
  ASSERT_TRUE(write_recording(verdict_file(places.path(), task.kernel), verdict));
  auto lab = FixtureKernelLab::create(places.path());
  ASSERT_TRUE(lab);

  const auto said = (*lab)->judge({task, task.kernel}, {});

  ASSERT_TRUE(said);
  EXPECT_EQ(said->measurement->provider, Provider::fixture);
}

FindingState state_of(const std::vector<Finding>& findings, const std::string& name) {
  for (const auto& finding : findings) {
    if (finding.name == name) return finding.state;
  }
  ADD_FAILURE() << "no finding " << name;
  return FindingState::missing;
}

class EnvironmentProbeTest : public WorkerKernelLabTest {};

TEST_F(EnvironmentProbeTest, FindsWhatIsThere) {
  const auto findings = probe_environment(settings_, devices_);

  for (const char* name : {"nvcc", "host compiler", "bubblewrap", "user namespaces",
                           "sandboxed trial", "warpmind-worker", "warpmind-judge", "GPU"}) {
    EXPECT_EQ(state_of(findings, name), FindingState::ok) << name;
  }
  for (const auto& finding : findings) {
    EXPECT_EQ(finding.remedy.empty(), finding.state == FindingState::ok) << finding.name;
    EXPECT_FALSE(finding.detail.empty()) << finding.name;
  }
}

TEST_F(EnvironmentProbeTest, SaysWhatIsMissingAndHowToGetIt) {
  settings_.toolchain.nvcc = "/nonexistent/nvcc";
  settings_.lab.judge = "/nonexistent/judge";
  settings_.lab.unsafe_no_sandbox = true;

  const auto findings = probe_environment(settings_, devices_);

  EXPECT_EQ(state_of(findings, "nvcc"), FindingState::missing);
  EXPECT_EQ(state_of(findings, "warpmind-judge"), FindingState::missing);
  EXPECT_EQ(state_of(findings, "bubblewrap"), FindingState::warning);
  // The worker would load its CUDA runtime from the toolkit.
  EXPECT_THAT(findings, Contains(AllOf(Field(&Finding::name, "GPU"),
                                       Field(&Finding::state, FindingState::missing),
                                       Field(&Finding::detail, HasSubstr("not asked")))));
  EXPECT_THAT(findings, Contains(Field(&Finding::remedy, HasSubstr("toolchain.nvcc"))));
}

TEST_F(EnvironmentProbeTest, SaysWhyThereIsNoGpu) {
  settings_.lab.worker = places_.runner("no_device");

  const auto findings = probe_environment(settings_, devices_);

  EXPECT_THAT(findings, Contains(AllOf(Field(&Finding::name, "GPU"),
                                       Field(&Finding::state, FindingState::missing),
                                       Field(&Finding::detail, HasSubstr("cudaErrorNoDevice")),
                                       Field(&Finding::remedy, HasSubstr("nvidia-smi")))));
}

}  // namespace
}  // namespace warpmind::profilers
