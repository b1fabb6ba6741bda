#include "profilers/sandbox/control_groups.h"

#include "base/process_stat.h"
#include "lab_places.h"
#include "profilers/health/kernel_log.h"
#include "profilers/sandbox/layers.h"

#include <limits>

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::HasSubstr;

/// A folder that looks like a hierarchy: what the kernel would put into a new group is not there.
TEST(ControlGroups, WhatCannotBeBoundedIsNotBounded) {
  LabPlaces places;
  const std::string mounts =
      "36 25 0:31 / " + places.path().string() + " rw,relatime shared:9 - cgroup2 cgroup2 rw\n";

  const auto groups = ControlGroups::probe(mounts, "0::/\n");

  EXPECT_FALSE(groups.bounds_memory());
  EXPECT_FALSE(groups.bounds_processes());
  EXPECT_THAT(groups.describe("pids"), HasSubstr("no control group with the controller 'pids'"));
  EXPECT_TRUE(std::filesystem::is_empty(places.path())) << "the trial group is removed";
  auto none = groups.make({1 << 20, 10});
  ASSERT_TRUE(none);
  EXPECT_TRUE(none->doors().empty());
}

TEST(ControlGroups, OnlyWhatAKilledDaemonOfThisNamespaceLeftIsRemoved) {
  LabPlaces places;
  const std::string mounts =
      "36 25 0:31 / " + places.path().string() + " rw,relatime shared:9 - cgroup2 cgroup2 rw\n";
  const std::string text = pid_namespace();
  const std::string own = text.substr(text.find('[') + 1, text.find(']') - text.find('[') - 1);
  ASSERT_FALSE(own.empty());
  const std::string gone = "warpmind-" + std::to_string(std::numeric_limits<int>::max()) + "-1-";
  std::filesystem::create_directory(places.path() / (gone + own));
  std::filesystem::create_directory(places.path() / (gone + "1"));

  static_cast<void>(ControlGroups::probe(mounts, "0::/\n"));

  EXPECT_FALSE(std::filesystem::exists(places.path() / (gone + own)));
  EXPECT_TRUE(std::filesystem::exists(places.path() / (gone + "1")))
      << "its daemon may live, in another container";
}

TEST(ControlGroups, GarbageIsNoHierarchy) {
  for (const char* mounts :
       {"", "\n\n", "36 25 0:31", "36 25 0:31 / /x rw - cgroup", " - cgroup2"}) {
    EXPECT_FALSE(ControlGroups::probe(mounts, "::\n4:memory\n").bounds_memory()) << mounts;
  }
}

TEST(ControlGroups, TheMachinesOwnHoldWhatTheyPromise) {
  const auto groups = ControlGroups::probe();
  if (!groups.bounds_processes()) GTEST_SKIP() << groups.describe("pids");

  auto group = groups.make({std::uint64_t{64} << 20U, 10});

  ASSERT_TRUE(group) << group.error().message;
  EXPECT_FALSE(group->doors().empty());
  EXPECT_TRUE(group->remove());
}

TEST(SandboxLayers, AreSaidInOneLine) {
  const SandboxLayers layers{
      {{"mounts", true, "x"}, {"memory", false, "no group"}, {"uid", true, ""}}};

  EXPECT_TRUE(layers.active("mounts"));
  EXPECT_FALSE(layers.active("memory"));
  EXPECT_FALSE(layers.active("moon"));
  EXPECT_EQ(layers.standing(), "mounts, uid");
  EXPECT_EQ(layers.missing(), "memory (no group)");
}

TEST(KernelLog, GivesNewXidsOnly) {
  LabPlaces places;
  const auto file = places.write("kmsg", "NVRM: Xid (PCI:0000:41:00): 8, old\n");
  KernelLog log(file);
  ASSERT_TRUE(log.readable());
  EXPECT_TRUE(log.take().empty());

  std::ofstream(file, std::ios::app) << "usb\nNVRM: Xid (PCI:0000:41:00): 31, pid=7\n"
                                     << "NVRM: Xid (PCI:0000:41:00): 43\n";

  EXPECT_EQ(log.take(), (std::vector<Xid>{{31, "0000:41:00", 7}, {43, "0000:41:00", 0}}));
  EXPECT_TRUE(log.take().empty());
  EXPECT_FALSE(KernelLog(places.path() / "absent").readable());
}

}  // namespace
}  // namespace warpmind::profilers
