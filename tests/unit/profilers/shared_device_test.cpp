/// \file
/// Two labs on one device: what one waits for the other is charged to no stage.

#include "config/device_table.h"
#include "lab_places.h"
#include "profilers/sandbox/sandbox.h"
#include "profilers/worker_kernel_lab.h"
#include "profilers/worker_session.h"
#include "twice_task.h"

#include <atomic>
#include <chrono>
#include <numeric>
#include <thread>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

using Clock = std::chrono::steady_clock;

class SharedDeviceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    devices_ = config::DeviceTable::load().value();
    settings_ = places_.settings("stand_in");
    settings_.lab.case_timeout_s = 60;
  }
  std::unique_ptr<WorkerKernelLab> make_lab() {
    auto lab = WorkerKernelLab::create(settings_, devices_, {"", {}, turn_});
    EXPECT_TRUE(lab) << lab.error().message;
    return std::move(*lab);
  }
  static double seconds_of(const Verdict& verdict) {
    return std::accumulate(
        verdict.stages.begin(), verdict.stages.end(), 0.0,
        [](double sum, const StageReport& stage) { return sum + stage.seconds; });
  }

  LabPlaces places_;
  config::Settings settings_;
  config::DeviceTable devices_;
  std::shared_ptr<DeviceTurn> turn_ = std::make_shared<DeviceTurn>();
  Task task_ = twice_task();
  Kernel kernel_ = twice_kernel();
};

TEST_F(SharedDeviceTest, WaitingIsChargedToNoStage) {
  constexpr std::chrono::seconds kMeasured{3};
  const auto lab = make_lab();
  std::jthread other;
  JudgeOrder order{task_, kernel_};
  order.on_stage = [&](Stage stage) {
    if (stage != Stage::full_oracle) return;
    std::atomic<bool> alone = false;
    other = std::jthread([&, measured = Clock::now() + kMeasured] {
      const std::unique_lock measuring(*turn_);
      alone = true;
      while (Clock::now() < measured) std::this_thread::yield();
    });
    while (!alone) std::this_thread::yield();
  };
  const auto from = Clock::now();

  const auto verdict = lab->judge(order, {});

  const std::chrono::duration<double> took = Clock::now() - from;
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->outcome, Outcome::same) << verdict->reason;
  EXPECT_GT(took.count() - seconds_of(*verdict), 1);
}

TEST_F(SharedDeviceTest, TwoLabsJudgeBesideEachOther) {
  const auto first = make_lab();
  const auto second = make_lab();
  const auto judge = [this](WorkerKernelLab& lab) {
    for (int i = 0; i < 3; ++i) {
      const auto verdict = lab.judge({task_, kernel_}, {});
      ASSERT_TRUE(verdict) << verdict.error().message;
      EXPECT_EQ(verdict->outcome, Outcome::same) << verdict->reason;
    }
  };
  std::jthread beside([&] { judge(*second); });
  judge(*first);
}

}  // namespace
}  // namespace warpmind::profilers
