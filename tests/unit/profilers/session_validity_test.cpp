// T-VOID and T-FLOOR: what sensors and times may look like, drawn by the thousand.
#include "profilers/lab/session_validity.h"

#include "base/limit.h"
#include "config/device_table.h"
#include "twice_task.h"

#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <unistd.h>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Optional;

/// Sessions as an H200 reports them, with one thing gone wrong where the test says so.
class Sessions {
 public:
  /// Four blocks of the incumbent alone, ten quads of four; clocks wobble by a step of NVML.
  RunnerReport valid() {
    RunnerReport report;
    report.ok = true;
    report.max_sm_clock_mhz = 1980;
    const double clock = uniform(1550, 1980);
    for (int i = 0; i < 44; ++i) report.block_clocks_mhz.push_back(clock + uniform(-15, 15));
    report.incumbent_alone_ns = uniform(5'000, 20'000'000);
    for (int i = 0; i < 10; ++i) {
      const double ns = report.incumbent_alone_ns * uniform(0.993, 1.007);
      report.quads.push_back({{ns * 0.8, ns * 0.8}, {ns, ns}});
    }
    return report;
  }

  RunnerReport throttled() {
    constexpr std::array kReasons{"hw_slowdown", "sw_thermal", "hw_thermal, hw_power_brake"};
    RunnerReport report = valid();
    report.throttle = kReasons[pick(kReasons.size())];
    return report;
  }

  /// From some block on the device runs slower or faster.
  RunnerReport stepped() {
    RunnerReport report = valid();
    const double factor = pick(2) == 0 ? uniform(0.70, 0.96) : uniform(1.04, 1.25);
    const std::size_t from = 1 + pick(report.block_clocks_mhz.size() - 1);
    for (std::size_t i = from; i < report.block_clocks_mhz.size(); ++i) {
      report.block_clocks_mhz[i] *= factor;
    }
    return report;
  }

  RunnerReport slow_throughout() {
    RunnerReport report = valid();
    const double clock = uniform(300, 1450);
    for (double& mhz : report.block_clocks_mhz) mhz = clock;
    return report;
  }

  /// Somebody else works, or the candidate spoils the device for its rival.
  RunnerReport disturbed() {
    RunnerReport report = valid();
    const double factor = pick(4) == 0 ? uniform(0.5, 0.97) : uniform(1.03, 3);
    for (QuadSample& quad : report.quads) {
      for (double& ns : quad.incumbent_ns) ns *= factor;
    }
    return report;
  }

  RunnerReport with_hidden_work() {
    RunnerReport report = valid();
    (pick(2) == 0 ? report.candidate_clocks_disagree : report.incumbent_clocks_disagree) =
        "the events miss 40 % (900 us) of a block";
    return report;
  }

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random_);
  }
  std::size_t pick(std::size_t choices) {
    return std::uniform_int_distribution<std::size_t>(0, choices - 1)(random_);
  }

 private:
  std::mt19937_64 random_{20260912};
};

constexpr int kTraces = 1000;

TEST(SessionValidity, ValidSessionsPass) {
  Sessions sessions;
  for (int i = 0; i < kTraces; ++i) EXPECT_EQ(find_void(sessions.valid()), std::nullopt);
}

TEST(SessionValidity, EverySpoiledSessionIsVoid) {
  Sessions sessions;
  for (const auto spoil : {&Sessions::throttled, &Sessions::stepped, &Sessions::slow_throughout,
                           &Sessions::disturbed, &Sessions::with_hidden_work}) {
    int voided = 0;
    for (int i = 0; i < kTraces; ++i) voided += find_void((sessions.*spoil)()) ? 1 : 0;
    EXPECT_EQ(voided, kTraces);
  }
}

TEST(SessionValidity, OneBlockIsEnough) {
  RunnerReport report = Sessions().valid();
  report.block_clocks_mhz.assign(44, 1980);
  report.block_clocks_mhz[17] = 1900;
  EXPECT_THAT(find_void(report),
              Optional(AllOf(HasSubstr("from 1900 to 1980 MHz"), HasSubstr("nvidia-smi -lgc"))));
}

TEST(SessionValidity, APowerLimitIsNoFault) {
  RunnerReport report = Sessions().valid();
  report.power_capped = true;
  report.block_clocks_mhz = {1200, 1260, 1200, 1150};
  EXPECT_EQ(find_void(report), std::nullopt);
  report.block_clocks_mhz.push_back(1000);
  EXPECT_THAT(find_void(report), Optional(HasSubstr("from 1000 to 1260 MHz")));
}

TEST(SessionValidity, WhatWasNotSensedVoidsNothing) {
  RunnerReport report;
  report.ok = true;
  report.quads = {{{1, 1}, {2, 2}}};
  EXPECT_EQ(find_void(report), std::nullopt);
}

/// 10 is the daemon, 11 a sandbox, 12 its runner; 1 is init; 50 is somebody's notebook.
class ForeignProcesses : public ::testing::Test {
 protected:
  std::optional<std::string> find(const std::vector<std::int64_t>& on_device) const {
    return find_foreign(on_device, 10, [this](std::int64_t pid) -> std::optional<std::int64_t> {
      const auto found = parents_.find(pid);
      if (found == parents_.end()) return std::nullopt;
      return found->second;
    });
  }

  std::map<std::int64_t, std::int64_t> parents_{{1, 0}, {10, 1}, {11, 10}, {12, 11}, {50, 1}};
};

TEST_F(ForeignProcesses, OurRunnersAreNotForeign) { EXPECT_EQ(find({12, 11}), std::nullopt); }

TEST_F(ForeignProcesses, AnotherProcessIsNamed) {
  EXPECT_THAT(find({12, 50}),
              Optional(HasSubstr("another process computes on the device: pid 50")));
  EXPECT_THAT(find({50, 12, 77}), Optional(HasSubstr("pids 50, 77")));
}

TEST_F(ForeignProcesses, NumbersOfAnotherNamespaceSayNothing) {
  // Not even our own runner is among them: these are no pids of ours.
  EXPECT_EQ(find({50, 4711}), std::nullopt);
  EXPECT_EQ(find({}), std::nullopt);
}

TEST_F(ForeignProcesses, ACircleOfParentsEnds) {
  parents_[60] = 61;
  parents_[61] = 60;
  EXPECT_THAT(find({12, 60}), Optional(HasSubstr("pid 60")));
}

TEST(ForeignProcessesOfThisMachine, ThisProcessIsOursAndInitIsNot) {
  const std::int64_t own = ::getpid();
  EXPECT_EQ(find_foreign([own] { return std::vector<std::int64_t>{own}; }), std::nullopt);
  EXPECT_THAT(find_foreign([own] {
                return std::vector<std::int64_t>{own, 1};
              }),
              Optional(HasSubstr("pid 1;")));
  EXPECT_EQ(find_foreign(DeviceProcesses()), std::nullopt);
}

/// Times of a task on an H200 whose floor is 2 us.
class ImpossibleTimes : public ::testing::Test {
 protected:
  void SetUp() override {
    auto table = config::DeviceTable::load();
    ASSERT_TRUE(table) << table.error().message;
    const Task task = twice_task();
    const auto floor = physical_floor_ns(task, task.workloads.front(), *table->find("h200"));
    ASSERT_TRUE(floor) << floor.error().message;
    floor_ns_ = *floor;
    ASSERT_GT(floor_ns_, 1000);
  }

  double floor_ns_ = 0;
};

TEST_F(ImpossibleTimes, NoneOfTwoHundredPasses) {
  Sessions draw;
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  int refused = 0;
  for (int i = 0; i < 200; ++i) {
    std::vector<double> blocks(40);
    for (double& ns : blocks) ns = floor_ns_ * draw.uniform(1.5, 3);
    const std::array wrong{0.0, nan, -blocks[0], infinity};
    if (i % 5 < 4) {
      blocks[draw.pick(blocks.size())] = wrong[static_cast<std::size_t>(i % 5)];
    } else {
      const double share = draw.uniform(0.01, 0.85);
      for (double& ns : blocks) ns = floor_ns_ * share * draw.uniform(0.98, 1.02);
    }
    refused += find_impossible(blocks, floor_ns_) ? 1 : 0;
  }
  EXPECT_EQ(refused, 200);
}

TEST_F(ImpossibleTimes, HonestTimesPassAndTheSentenceNamesTheFloor) {
  EXPECT_EQ(find_impossible({2 * floor_ns_, 3 * floor_ns_}, floor_ns_), std::nullopt);
  EXPECT_THAT(find_impossible({0.1 * floor_ns_}, floor_ns_),
              Optional(HasSubstr(std::to_string(std::llround(floor_ns_)) + " ns")));
  EXPECT_THAT(find_impossible({}, floor_ns_), Optional(HasSubstr("not a positive number")));
}

TEST(HiddenWork, TheProfilerSeesWhatTheEventsDoNot) {
  const KernelProfile kernel{"k", 1, {{"gpu__time_duration.sum", 60'000, "ns"}}};
  EXPECT_EQ(find_hidden_work({kernel, kernel}, 100'000), std::nullopt);
  EXPECT_THAT(find_hidden_work({kernel, kernel}, 50'000),
              Optional(AllOf(HasSubstr("120000 ns of kernels"), HasSubstr("50000 ns by events"))));
  EXPECT_EQ(find_hidden_work({}, 50'000), std::nullopt);
}

}  // namespace
}  // namespace warpmind::profilers
