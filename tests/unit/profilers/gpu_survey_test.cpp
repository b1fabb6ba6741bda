// Which GPUs a daemon finds, with a stand-in for the driver's library; and compilers that share
// processors.

#include "profilers/gpu_survey.h"

#include "profilers/toolchain/build_slots.h"
#include "profilers/worker_session.h"

#include <atomic>
#include <cstdlib>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string kFake = WARPMIND_FAKE_NVML;

class GpuSurveyTest : public testing::Test {
 protected:
  void SetUp() override {
    machine("GPU-aaaa-1|NVIDIA H200;GPU-bbbb-2|NVIDIA H200|MIG-x-1,MIG-x-2;GPU-cccc-3|NVIDIA L40S");
  }
  void TearDown() override { ::unsetenv("FAKE_NVML"); }  // NOLINT(concurrency-mt-unsafe)
  static void machine(const char* text) {
    ::setenv("FAKE_NVML", text, 1);  // NOLINT(concurrency-mt-unsafe)
  }
  static std::vector<std::string> devices(const std::optional<std::string>& visible) {
    std::vector<std::string> devices;
    for (const auto& gpu : survey_gpus(visible, kFake).gpus) devices.push_back(gpu.device);
    return devices;
  }
};

TEST_F(GpuSurveyTest, EveryGpuIsFoundAndSlicesTakeThePlaceOfOneThatIsSplit) {
  EXPECT_THAT(devices(std::nullopt), ElementsAre("GPU-aaaa-1", "MIG-x-1", "MIG-x-2", "GPU-cccc-3"));
  EXPECT_EQ(survey_gpus(std::nullopt, kFake).gpus.back().name, "NVIDIA L40S");
}

TEST_F(GpuSurveyTest, TheVariableNamesWhichAndInWhichOrder) {
  EXPECT_THAT(devices("GPU-cccc,GPU-aaaa-1"), ElementsAre("GPU-cccc-3", "GPU-aaaa-1"));
  EXPECT_THAT(devices("MIG-x-2"), ElementsAre("MIG-x-2"));
  EXPECT_THAT(devices("2, 0"), ElementsAre("2", "0")) << "CUDA knows how it counts";
}

TEST_F(GpuSurveyTest, WhatDoesNotExistEndsTheListAsInCuda) {
  EXPECT_THAT(devices("GPU-aaaa-1,GPU-zzzz,GPU-cccc-3"), ElementsAre("GPU-aaaa-1"));
  EXPECT_THAT(devices("0,-1,2"), ElementsAre("0"));
  EXPECT_THAT(devices("7"), ElementsAre());
  EXPECT_THAT(devices(""), ElementsAre());
  EXPECT_THAT(survey_gpus("NoDevFiles", kFake).note,
              HasSubstr("CUDA_VISIBLE_DEVICES=NoDevFiles shows no GPU"));
}

TEST_F(GpuSurveyTest, WithoutGpuOrDriverItSaysWhy) {
  machine("");
  EXPECT_THAT(survey_gpus(std::nullopt, kFake).note, HasSubstr("NVML shows no GPU"));
  ::unsetenv("FAKE_NVML");  // NOLINT(concurrency-mt-unsafe)
  EXPECT_THAT(survey_gpus(std::nullopt, kFake).note, HasSubstr("no driver that runs"));
  const auto none = survey_gpus(std::nullopt, "libno-such-nvml.so.1");
  EXPECT_THAT(none.note, HasSubstr("no NVIDIA driver is installed"));
  EXPECT_TRUE(none.gpus.empty());
}

TEST(RunnerPlaceDevice, TheGpuOfALaneTakesThePlaceOfTheOrdinal) {
  RunnerPlace place;
  place.visible = "MIG-x-2";
  EXPECT_EQ(visible_device(place), "MIG-x-2");
}

TEST(BuildSlots, NoMoreCompilersThanSlotsRunAtOnce) {
  BuildSlots slots(2);
  std::atomic<int> running = 0;
  std::atomic<int> most = 0;
  {
    std::vector<std::jthread> builders;
    for (int i = 0; i < 6; ++i) {
      builders.emplace_back([&] {
        for (int build = 0; build < 200; ++build) {
          const auto slot = slots.take({});
          ASSERT_TRUE(slot.has_value());
          const int now = ++running;
          int seen = most.load();
          while (now > seen && !most.compare_exchange_weak(seen, now)) {
          }
          std::this_thread::yield();
          --running;
        }
      });
    }
  }
  EXPECT_LE(most.load(), 2);
  EXPECT_GE(BuildSlots(0).slots(), 1U) << "0 = as many as processors";
}

TEST(BuildSlots, WhoeverIsStoppedWaitsNoLonger) {
  BuildSlots slots(1);
  const auto held = slots.take({});
  ASSERT_TRUE(held.has_value());
  std::stop_source stop;
  stop.request_stop();
  const auto refused = slots.take(stop.get_token());
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, Errc::cancelled);
}

}  // namespace
}  // namespace warpmind::profilers
