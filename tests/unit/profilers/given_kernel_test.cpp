#include "config/device_table.h"
#include "lab_places.h"
#include "profilers/worker_kernel_lab.h"
#include "twice_task.h"

#include <vector>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// A task whose reference is its given kernel, where the GPU is a program that knows y = 2 x.
class GivenKernelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto devices = config::DeviceTable::load();
    ASSERT_TRUE(devices) << devices.error().message;
    auto settings = places_.settings("stand_in");
    settings.lab.confirm_processes = 3;
    settings.lab.case_timeout_s = 20;
    auto lab = WorkerKernelLab::create(settings, *devices);
    ASSERT_TRUE(lab) << lab.error().message;
    lab_ = std::move(*lab);
    set_given("right");
  }

  void set_given(const std::string& kind) {
    task_ = twice_task();
    task_.reference.clear();
    task_.contract.tolerance = ToleranceClass::reduction;
    task_.kernel = twice_kernel(kind);
    task_.id = id_of(task_);
  }

  Verdict judge(const Kernel& kernel, const Kernel* incumbent = nullptr) {
    auto verdict = lab_->judge({task_, kernel, incumbent}, {});
    EXPECT_TRUE(verdict) << verdict.error().message;
    return verdict.value_or(Verdict{});
  }
  Verdict judge_candidate(const std::string& kind) {
    return judge(twice_kernel(kind), &task_.kernel);
  }

  LabPlaces places_;
  Task task_;
  std::unique_ptr<WorkerKernelLab> lab_;
};

TEST_F(GivenKernelTest, ItIsABaseline) {
  const Verdict verdict = judge(task_.kernel);

  EXPECT_EQ(verdict.outcome, Outcome::same) << verdict.reason;
  ASSERT_TRUE(verdict.correctness);
  EXPECT_TRUE(verdict.correctness->passed);
  ASSERT_TRUE(verdict.measurement);
  EXPECT_NEAR(verdict.measurement->median_ns, 100'000, 1000);
}

TEST_F(GivenKernelTest, AFasterKernelWithItsResultsIsImproved) {
  const Verdict verdict = judge_candidate("fast");

  EXPECT_EQ(verdict.outcome, Outcome::improved) << verdict.reason;
  ASSERT_TRUE(verdict.comparison);
  EXPECT_EQ(verdict.comparison->processes, 3);
}

TEST_F(GivenKernelTest, OneOtherElementIsWrong) {
  const Verdict verdict = judge_candidate("wrong");

  EXPECT_EQ(verdict.outcome, Outcome::wrong);
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("tiny"), HasSubstr("y[999]")));
}

TEST_F(GivenKernelTest, TimedLaunchesAreComparedToo) {
  const Verdict verdict = judge_candidate("stale");

  EXPECT_EQ(verdict.outcome, Outcome::cheating);
  EXPECT_THAT(verdict.reason, HasSubstr("timed launches"));
}

TEST_F(GivenKernelTest, WhatItDoesIsRightWhateverItIs) {
  set_given("wrong");
  EXPECT_EQ(judge_candidate("right").outcome, Outcome::wrong);
  Kernel edited = task_.kernel;
  edited.source += "// the same\n";
  const Verdict same = judge(edited, &task_.kernel);
  ASSERT_TRUE(same.correctness);
  EXPECT_TRUE(same.correctness->passed) << same.reason;
}

TEST_F(GivenKernelTest, AGivenKernelThatFailsIsNoCandidatesFault) {
  set_given("launch");

  const Verdict verdict = judge_candidate("right");

  EXPECT_EQ(verdict.outcome, Outcome::unjudgeable);
  EXPECT_THAT(verdict.reason, AllOf(HasSubstr("the given kernel, which is the reference, failed"),
                                    HasSubstr("cudaErrorInvalidValue")));
}

TEST_F(GivenKernelTest, AGivenKernelThatCrashesIsNamed) {
  set_given("crash");
  EXPECT_THAT(judge_candidate("right").reason, HasSubstr("signal 11"));
  const Verdict itself = judge(task_.kernel);
  EXPECT_EQ(itself.outcome, Outcome::crashed) << itself.reason;
}

TEST_F(GivenKernelTest, ComparesTwoKernels) {
  const Kernel fast = twice_kernel("fast");

  const auto comparison = lab_->compare({task_, fast, &task_.kernel}, {});

  ASSERT_TRUE(comparison) << comparison.error().message;
  EXPECT_NEAR(comparison->ratio, 1.25, 0.01);
}

TEST_F(GivenKernelTest, NoProcessIsLeftBehind) {
  judge_candidate("right");
  lab_.reset();
  EXPECT_TRUE(places_.all_processes_gone());
}

}  // namespace
}  // namespace warpmind::profilers
