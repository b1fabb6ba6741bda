// Void sessions and impossible times through the whole lab: nothing of them becomes a measurement.
#include "config/device_table.h"
#include "lab_places.h"
#include "profilers/worker_kernel_lab.h"
#include "twice_task.h"

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::HasSubstr;

struct Spoiled {
  std::string kind;  ///< of fake_runner
  Outcome outcome;
  std::string reason;
};

std::ostream& operator<<(std::ostream& out, const Spoiled& spoiled) { return out << spoiled.kind; }

class SpoiledLab : public ::testing::Test {
 protected:
  void SetUp() override {
    auto devices = config::DeviceTable::load();
    ASSERT_TRUE(devices) << devices.error().message;
    config::Settings settings = places_.settings("stand_in");
    settings.lab.block_ms = 0.01;  // pauses last 1000 blocks
    auto lab = WorkerKernelLab::create(settings, *devices);
    ASSERT_TRUE(lab) << lab.error().message;
    lab_ = std::move(*lab);
  }

  Verdict judge(const Kernel& kernel) {
    auto verdict = lab_->judge({task_, kernel, &task_.kernel}, {});
    EXPECT_TRUE(verdict) << verdict.error().message;
    return verdict.value_or(Verdict{});
  }

  LabPlaces places_;
  Task task_ = twice_task();
  std::unique_ptr<WorkerKernelLab> lab_;
};

class TimingSession : public SpoiledLab, public ::testing::WithParamInterface<Spoiled> {};

TEST_P(TimingSession, LeavesNoMeasurement) {
  const Verdict verdict = judge(twice_kernel(GetParam().kind));

  EXPECT_EQ(verdict.outcome, GetParam().outcome) << verdict.reason;
  EXPECT_THAT(verdict.reason, HasSubstr(GetParam().reason));
  EXPECT_FALSE(verdict.measurement);
  EXPECT_EQ(verdict.stages.back().stage, Stage::timing);
  EXPECT_FALSE(verdict.stages.back().passed);
}

INSTANTIATE_TEST_SUITE_P(
    Spoiled, TimingSession,
    ::testing::Values(Spoiled{"throttled", Outcome::blocked, "4 attempts: the device throttled"},
                      Spoiled{"stepping", Outcome::blocked, "the SM clock went from"},
                      Spoiled{"slowing", Outcome::blocked, "the kernel to beat took"},
                      Spoiled{"hiding", Outcome::blocked, "two clocks disagree on the candidate"},
                      Spoiled{"zero", Outcome::cheating, "not a positive number"},
                      Spoiled{"negative", Outcome::cheating, "not a positive number"},
                      Spoiled{"light", Outcome::cheating, "takes this device at least"}),
    [](const auto& tested) { return tested.param.kind; });

TEST_F(SpoiledLab, AHostFunctionThatHidesWorkCheats) {
  Kernel host = twice_kernel("hiding");
  host.tier = Tier::b;
  host.entry = "run";
  host.plan = {};
  host.plan.launches.emplace_back().arguments = {"x", "y"};
  host.source +=
      "extern \"C\" int run(const float* x, float* y, cudaStream_t stream) {\n"
      "  twice<<<256, 256, 0, stream>>>(x, y, 65536);\n"
      "  return 0;\n"
      "}\n";

  const Verdict verdict = judge(host);

  EXPECT_EQ(verdict.outcome, Outcome::cheating) << verdict.reason;
  EXPECT_THAT(verdict.reason, HasSubstr("the events miss 40 %"));
  EXPECT_FALSE(verdict.measurement);
}

}  // namespace
}  // namespace warpmind::profilers
