#include "profilers/health/device_health.h"

#include "lab_places.h"
#include "profilers/health/pci_address.h"

#include <deque>
#include <thread>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

class HandClock final : public Clock {
 public:
  [[nodiscard]] UnixMillis wall() const override { return {0}; }
  [[nodiscard]] std::chrono::steady_clock::time_point monotonic() const override { return now; }

  std::chrono::steady_clock::time_point now{};
};

/// The ladder with a clock by hand, a script of probe reports, and a script of kernel logs.
class DeviceHealthTest : public ::testing::Test {
 protected:
  DeviceHealth make(HealthSettings settings = {}) {
    HealthHooks hooks;
    hooks.clock = clock_;
    hooks.probe = [this](const std::stop_token&) -> Result<ProbeReport> {
      ++probes_;
      if (reports_.empty()) return ProbeReport{"", 1000, {}};
      auto report = std::move(reports_.front());
      reports_.pop_front();
      return report;
    };
    hooks.new_xids = [this] { return std::exchange(xids_, {}); };
    hooks.pci_of = [](const std::string& uuid) {
      return std::string(uuid == "GPU-known" ? "0000:1B:00.0" : "");
    };
    return DeviceHealth(std::move(settings), std::move(hooks));
  }

  void expect_quarantine(DeviceHealth& health, const std::string& why) {
    const auto admitted = health.admit({});
    ASSERT_FALSE(admitted);
    EXPECT_EQ(admitted.error().code, Errc::unavailable);
    EXPECT_THAT(admitted.error().message, AllOf(HasSubstr("is quarantined"), HasSubstr(why),
                                                HasSubstr("nvidia-smi --gpu-reset -i")));
    EXPECT_EQ(health.quarantine(), admitted.error().message);
  }

  std::shared_ptr<HandClock> clock_ = std::make_shared<HandClock>();
  std::deque<Result<ProbeReport>> reports_;
  std::vector<Xid> xids_;
  int probes_ = 0;
};

TEST_F(DeviceHealthTest, AHealthyDeviceIsNotProbed) {
  auto health = make();

  EXPECT_TRUE(health.admit({}));
  EXPECT_EQ(probes_, 0);
  EXPECT_FALSE(health.quarantine());
}

TEST_F(DeviceHealthTest, OneProbeFollowsABadEnd) {
  auto health = make();

  EXPECT_EQ(health.note_end({"was killed"}), "");
  EXPECT_TRUE(health.admit({}));
  EXPECT_TRUE(health.admit({}));

  EXPECT_EQ(probes_, 1);
}

TEST_F(DeviceHealthTest, WrongAnswersQuarantineAndAMinuteLaterItIsTriedAgain) {
  auto health = make();
  health.identify("NVIDIA H200", "GPU-1234");
  health.note_end({"was killed"});
  reports_ = {ProbeReport{"element 7 of a known answer is wrong", 0, {}},
              ProbeReport{"the runner ran out of time", 0, {}}};

  expect_quarantine(health, "element 7 of a known answer is wrong");
  EXPECT_THAT(*health.quarantine(),
              AllOf(HasSubstr("NVIDIA H200"), HasSubstr("-i GPU-1234"), HasSubstr("every 60 s")));
  clock_->now += std::chrono::seconds(59);
  expect_quarantine(health, "element 7");
  EXPECT_EQ(probes_, 1) << "the minute is not over";
  clock_->now += std::chrono::seconds(1);
  expect_quarantine(health, "ran out of time");
  EXPECT_EQ(probes_, 2);
  clock_->now += std::chrono::seconds(60);
  EXPECT_TRUE(health.admit({}));
  EXPECT_FALSE(health.quarantine());
  EXPECT_TRUE(health.admit({}));
  EXPECT_EQ(probes_, 3) << "healthy again: no more probes";
}

TEST_F(DeviceHealthTest, AProbeThatDoesNotRunIsTrouble) {
  auto health = make();
  health.note_end({"was killed"});
  reports_ = {fail(Errc::external_failure, "no space")};

  expect_quarantine(health, "the probe did not run: no space");
}

TEST_F(DeviceHealthTest, ACancelledProbeDecidesNothing) {
  auto health = make();
  health.note_end({"was killed"});
  reports_ = {fail(Errc::cancelled, "cancelled")};

  const auto admitted = health.admit({});

  ASSERT_FALSE(admitted);
  EXPECT_EQ(admitted.error().code, Errc::cancelled);
  EXPECT_FALSE(health.quarantine());
  EXPECT_TRUE(health.admit({})) << "probed again";
  EXPECT_EQ(probes_, 2);
}

TEST_F(DeviceHealthTest, ASlowDeviceIsQuarantinedOnlyAfterThreeSlowProbes) {
  auto health = make();
  health.note_end({"first"});
  reports_ = {ProbeReport{"", 1000, {}}};
  ASSERT_TRUE(health.admit({}));
  health.note_end({"second"});
  reports_ = {ProbeReport{"", 1200, {}}, ProbeReport{"", 1100, {}}, ProbeReport{"", 1020, {}}};
  ASSERT_TRUE(health.admit({})) << "2 % above the best";
  health.note_end({"third"});
  reports_ = {ProbeReport{"", 1200, {}}, ProbeReport{"", 1100, {}}, ProbeReport{"", 1040, {}}};

  expect_quarantine(health, "takes 1.04 times as long");
  EXPECT_EQ(probes_, 7);
}

TEST_F(DeviceHealthTest, XidsAreSaidWithTheEndThatTheyBelongTo) {
  auto health = make();
  xids_ = {Xid{31, "0000:1b:00", 7}, Xid{43, "0000:1b:00", 7}};

  EXPECT_EQ(
      health.note_end({"died"}),
      "; the driver logged Xid 31 (memory page fault of a kernel), Xid 43 (the device stopped "
      "working for one program)");
  EXPECT_TRUE(health.admit({})) << "the program was at fault";
}

TEST_F(DeviceHealthTest, AnXidThatAsksForAResetLastsUntilTheRestart) {
  auto health = make();
  xids_ = {Xid{79, "0000:1b:00", 0}};
  health.note_end({"died"});

  expect_quarantine(health, "fallen off the bus");
  EXPECT_THAT(*health.quarantine(), HasSubstr("then restart the daemon"));
  clock_->now += std::chrono::seconds(3600);
  expect_quarantine(health, "fallen off the bus");
  EXPECT_EQ(probes_, 0) << "a probe would prove nothing";
}

TEST_F(DeviceHealthTest, WhatTheDriverSaysOfAnotherDeviceDoesNotCount) {
  auto health = make();
  health.identify("NVIDIA H200", "GPU-known");
  xids_ = {Xid{79, "0000:41:00", 0}, Xid{31, "0000:1b:00", 7}};

  EXPECT_EQ(health.note_end({"crashed"}),
            "; the driver logged Xid 31 (memory page fault of a kernel)");
  EXPECT_TRUE(health.admit({}));
  xids_ = {Xid{79, "0000:1b:00", 0}};
  EXPECT_NE(health.note_end({"crashed"}), "");
  expect_quarantine(health, "Xid 79");
}

TEST_F(DeviceHealthTest, WhereTheAddressIsUnknownEveryXidCounts) {
  auto health = make();
  health.identify("NVIDIA H200", "GPU-elsewhere");
  xids_ = {Xid{79, "0000:41:00", 0}};

  EXPECT_NE(health.note_end({"crashed"}), "");
  expect_quarantine(health, "Xid 79");
}

TEST_F(DeviceHealthTest, AnXidDuringTheProbeCounts) {
  HealthHooks hooks;
  hooks.clock = clock_;
  hooks.probe = [this](const std::stop_token&) -> Result<ProbeReport> {
    xids_ = {Xid{48, "0000:1b:00", 0}};
    return ProbeReport{"", 1000, {}};
  };
  hooks.new_xids = [this] { return std::exchange(xids_, {}); };
  DeviceHealth health({}, std::move(hooks));
  health.note_end({"died"});

  expect_quarantine(health, "Xid 48");
}

TEST_F(DeviceHealthTest, OneProbeServesEverybodyWhoWaits) {
  auto health = make();
  health.note_end({"was killed"});
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&health] { EXPECT_TRUE(health.admit({})); });
  }
  threads.clear();

  EXPECT_EQ(probes_, 1);
}

TEST(Xids, AreReadFromTheKernelsLines) {
  const auto full = parse_xid(
      "4,1234,99999,-;NVRM: Xid (PCI:0000:1b:00): 31, pid=4711, name=warpmind-worker, Ch 00000008, "
      "intr 00000000. MMU Fault: ENGINE GRAPHICS");
  EXPECT_EQ(full, (Xid{31, "0000:1b:00", 4711}));
  EXPECT_EQ(parse_xid("NVRM: Xid (PCI:0000:41:00): 79, GPU has fallen off the bus."),
            (Xid{79, "0000:41:00", 0}));
  EXPECT_EQ(parse_xid("NVRM: Xid (PCI:0000:41:00): 13, pid='<unknown>', name=<unknown>, Graphics"),
            (Xid{13, "0000:41:00", 0}));
  EXPECT_EQ(parse_xid("NVRM: Xid (0000:41:00): 8, Channel 00000001"), (Xid{8, "0000:41:00", 0}));
}

TEST(PciAddress, IsFoundByTheUuidThatTheDriverShows) {
  const LabPlaces places;
  for (const auto* const address : {"0000:1b:00.0", "0000:41:00.0"}) {
    std::filesystem::create_directory(places.path() / address);
    places.write(std::string(address) + "/information",
                 "Model: \t\t NVIDIA H200\nIRQ:   \t\t 230\nGPU UUID: \t GPU-" +
                     std::string(address) + "\nDevice Minor: \t 1\n");
  }
  EXPECT_EQ(pci_address_of("GPU-0000:41:00.0", places.path()), "0000:41:00.0");
  EXPECT_EQ(pci_address_of("GPU-other", places.path()), "");
  EXPECT_EQ(pci_address_of("", places.path()), "");
  EXPECT_EQ(pci_address_of("GPU-0000:41:00.0", places.path() / "none"), "");
}

TEST(PciAddress, IsTheSameHoweverItIsWritten) {
  EXPECT_TRUE(is_same_device("0000:1b:00", "00000000:1B:00.0"));
  EXPECT_FALSE(is_same_device("0000:1b:00", "0001:1b:00"));
  EXPECT_FALSE(is_same_device("0000:1b:00", "0000:1c:00.0"));
  for (const char* none : {"", "1b:00", "0000:1b:", "0000:1b:00:00", "0000:xy:00"}) {
    EXPECT_FALSE(is_same_device(none, none)) << none;
  }
}

TEST(Xids, OtherLinesAreNone) {
  for (const char* line : {"", "NVRM: Xid (", "NVRM: Xid (PCI:0000:41:00): ", "NVRM: Xid (PCI): x",
                           "usb 1-1: new device", "NVRM: loading NVIDIA UNIX x86_64 Module"}) {
    EXPECT_FALSE(parse_xid(line)) << line;
  }
}

TEST(Xids, HaveMeanings) {
  EXPECT_EQ(meaning_of(31).remedy, XidRemedy::program);
  EXPECT_EQ(meaning_of(79).remedy, XidRemedy::reset);
  EXPECT_EQ(meaning_of(63).remedy, XidRemedy::watch);
  EXPECT_EQ(meaning_of(4711).remedy, XidRemedy::watch);
  EXPECT_EQ(describe(Xid{4711, "", 0}), "Xid 4711 (not in this program's table)");
}

}  // namespace
}  // namespace warpmind::profilers
