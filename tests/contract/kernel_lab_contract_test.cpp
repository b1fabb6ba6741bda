#include "base/prediction_interval.h"
#include "config/device_table.h"
#include "profilers/fixture_kernel_lab.h"
#include "profilers/recording_kernel_lab.h"
#include "profilers/simulated_kernel_lab.h"
#include "profilers/worker_kernel_lab.h"
#include "tests/unit/profilers/lab_places.h"
#include "tests/unit/profilers/twice_task.h"

#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::HasSubstr;

/// The kernels of the contract. Every lab must give them the same kind of verdict.
struct ContractKernels {
  Task task = twice_task();
  Kernel right = task.kernel;
  Kernel wrong = [] {
    Kernel kernel = twice_kernel("wrong");
    kernel.source.replace(kernel.source.find("2.0f"), 4, "2.1f");
    return kernel;
  }();
  Kernel broken = [] {
    Kernel kernel = twice_kernel();
    kernel.source += "int x = undefined_thing;\n";
    return kernel;
  }();
};

/// A lab and what it needs to live.
struct LabUnderTest {
  std::unique_ptr<LabPlaces> places = std::make_unique<LabPlaces>();
  std::unique_ptr<KernelLab> lab;
  std::string skip;  ///< why it cannot be tested here
};

/// With another `worker` than this build's, where one is given.
Result<std::unique_ptr<WorkerKernelLab>> open_worker_lab(const LabPlaces& places,
                                                         const std::filesystem::path& worker = {}) {
  WARPMIND_TRY(const auto devices, config::DeviceTable::load());
  auto settings = places.settings();
  use_own_programs(settings);
  if (!worker.empty()) settings.lab.worker = worker;
  return WorkerKernelLab::create(settings, devices);
}

/// The real lab on the GPU of this machine.
[[maybe_unused]] LabUnderTest make_worker_lab() {
  LabUnderTest made;
  auto lab = open_worker_lab(*made.places);
  if (!lab) {
    made.skip = lab.error().message;
    return made;
  }
  if (const auto device = (*lab)->device(); !device) made.skip = device.error().message;
  made.lab = std::move(*lab);
  return made;
}

/// The simulator in place of a GPU, with the real worker.
[[maybe_unused]] LabUnderTest make_simulated_lab() {
  LabUnderTest made;
  const auto devices = config::DeviceTable::load();
  EXPECT_TRUE(devices);
  auto settings = made.places->settings();
  use_own_programs(settings);
  auto lab = SimulatedKernelLab::create(settings, *devices, "h200");
  if (!lab) {
    made.skip = lab.error().message;
    return made;
  }
  made.lab = std::move(*lab);
  return made;
}

/// What the real lab said about every order of the contract, with a program in place of the GPU.
[[maybe_unused]] LabUnderTest make_fixture_lab() {
  LabUnderTest made;
  const auto directory = made.places->path() / "recording";
  auto lab = open_worker_lab(*made.places, made.places->runner("stand_in"));
  EXPECT_TRUE(lab) << lab.error().message;
  auto recording = RecordingKernelLab::create(std::move(*lab), directory);
  EXPECT_TRUE(recording);
  const ContractKernels kernels;
  EXPECT_TRUE((*recording)->device());
  for (const Kernel* kernel : {&kernels.right, &kernels.wrong, &kernels.broken}) {
    EXPECT_TRUE((*recording)->judge({kernels.task, *kernel}, {}));
  }
  EXPECT_TRUE((*recording)->compare({kernels.task, kernels.right, &kernels.right}, {}));
  auto fixture = FixtureKernelLab::create(directory);
  EXPECT_TRUE(fixture) << fixture.error().message;
  made.lab = std::move(*fixture);
  return made;
}

struct Maker {
  const char* name;
  LabUnderTest (*make)();
};
std::ostream& operator<<(std::ostream& out, const Maker& maker) { return out << maker.name; }

class KernelLabContract : public ::testing::TestWithParam<Maker> {
 protected:
  void SetUp() override {
    made_ = GetParam().make();
    if (!made_.skip.empty()) GTEST_SKIP() << made_.skip;
  }

  KernelLab& lab() { return *made_.lab; }

  LabUnderTest made_;
  ContractKernels kernels_;
};

TEST_P(KernelLabContract, ABaselineIsTheSameWithATimeOnTheNamedDevice) {
  std::vector<Stage> begun;
  const JudgeOrder order{kernels_.task, kernels_.right, nullptr, 0,
                         [&begun](Stage stage) { begun.push_back(stage); }};

  const auto verdict = lab().judge(order, {});

  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Outcome::same) << verdict->reason;
  std::vector<Stage> reported;
  for (const StageReport& stage : verdict->stages) reported.push_back(stage.stage);
  // A recording has nothing that could begin.
  if (lab().provider() == Provider::fixture) reported.clear();
  EXPECT_EQ(begun, reported);
  ASSERT_TRUE(verdict->correctness);
  EXPECT_TRUE(verdict->correctness->passed);
  ASSERT_TRUE(verdict->measurement);
  EXPECT_EQ(verdict->measurement->provider, lab().provider());
  EXPECT_EQ(verdict->measurement->device, lab().device().value());
  EXPECT_GT(verdict->measurement->median_ns, 0);
  EXPECT_GT(verdict->measurement->samples, 0);
  EXPECT_FALSE(verdict->measurement->harness.empty());
  EXPECT_FALSE(verdict->comparison);
  EXPECT_TRUE(verdict->profile);
}

TEST_P(KernelLabContract, AWrongKernelIsWrongWithItsElement) {
  const auto verdict = lab().judge({kernels_.task, kernels_.wrong}, {});

  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Outcome::wrong);
  EXPECT_THAT(verdict->reason, HasSubstr("y["));
  EXPECT_FALSE(verdict->measurement);
  EXPECT_FALSE(verdict->stages.back().passed);
}

TEST_P(KernelLabContract, ABrokenKernelKeepsTheCompilersText) {
  const auto verdict = lab().judge({kernels_.task, kernels_.broken}, {});

  ASSERT_TRUE(verdict) << verdict.error().message;
  EXPECT_EQ(verdict->outcome, Outcome::build_failed);
  ASSERT_TRUE(verdict->build);
  EXPECT_THAT(verdict->build->diagnostics, HasSubstr("undefined_thing"));
}

TEST_P(KernelLabContract, AKernelComparedWithItselfIsNotImproved) {
  const auto comparison = lab().compare({kernels_.task, kernels_.right, &kernels_.right}, {});

  ASSERT_TRUE(comparison) << comparison.error().message;
  if (lab().provider() == Provider::sim) {
    EXPECT_EQ(comparison->processes, 0);
  } else {
    EXPECT_GE(comparison->processes, 3);
  }
  if (has_interval(*comparison)) {
    EXPECT_LE(comparison->low, comparison->ratio);
    EXPECT_GE(comparison->high, comparison->ratio);
  } else {  // a prediction of low confidence
    EXPECT_EQ(lab().provider(), Provider::sim);
    EXPECT_EQ(comparison->low, 0);
  }
  EXPECT_NEAR(comparison->ratio, 1, 0.02);
}

TEST_P(KernelLabContract, AStopIsCancelled) {
  std::stop_source source;
  source.request_stop();

  const auto verdict = lab().judge({kernels_.task, kernels_.right}, source.get_token());

  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().code, Errc::cancelled);
}

TEST_P(KernelLabContract, AComparisonNeedsAnIncumbent) {
  const auto comparison = lab().compare({kernels_.task, kernels_.right}, {});

  ASSERT_FALSE(comparison);
  EXPECT_EQ(comparison.error().code, Errc::invalid_argument);
}

// The same contract for all: an executable for any machine, and one with the label gpu.
#ifdef WARPMIND_CONTRACT_ON_GPU
const auto kMakers = ::testing::Values(Maker{"Worker", make_worker_lab});
#else
const auto kMakers =
    ::testing::Values(Maker{"Fixture", make_fixture_lab}, Maker{"Simulated", make_simulated_lab});
#endif
INSTANTIATE_TEST_SUITE_P(Labs, KernelLabContract, kMakers,
                         [](const auto& maker) { return std::string(maker.param.name); });

}  // namespace
}  // namespace warpmind::profilers
