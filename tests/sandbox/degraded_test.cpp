#include "config/device_table.h"
#include "profilers/process/child_process.h"
#include "profilers/sandbox/sandbox.h"
#include "profilers/worker_kernel_lab.h"
#include "tests/unit/profilers/lab_places.h"
#include "tests/unit/profilers/twice_task.h"

#include <gmock/gmock.h>

namespace warpmind::profilers {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// T-DEG: what a machine without one of the walls is told. A bubblewrap of paper plays the machine.
class DegradedTest : public ::testing::Test {
 protected:
  config::Settings with_bubblewrap(const std::string& script) {
    const auto fake = places_.write(
        "bwrap", "#!/bin/sh\n[ \"$1\" = --version ] && echo bubblewrap 0.8.0 && exit 0\n" + script);
    std::filesystem::permissions(fake, std::filesystem::perms::owner_all);
    config::Settings settings = places_.settings("stand_in");
    settings.lab.bubblewrap = fake;
    settings.lab.case_timeout_s = 60;
    return settings;
  }

  std::string refusal_of(const config::Settings& settings) {
    auto lab = WorkerKernelLab::create(settings, config::DeviceTable::load().value());
    EXPECT_FALSE(lab) << "candidates would run unprotected";
    if (lab) return "";
    EXPECT_EQ(lab.error().code, Errc::unavailable);
    return lab.error().message;
  }

  LabPlaces places_;
};

TEST_F(DegradedTest, NoUserNamespaces) {
  EXPECT_THAT(refusal_of(with_bubblewrap(
                  "echo 'bwrap: No permissions to create new namespace' >&2; exit 1\n")),
              AllOf(HasSubstr("the sandbox does not start"),
                    HasSubstr("allow unprivileged user "
                              "namespaces"),
                    HasSubstr("lab.unsafe_no_sandbox")));
}

TEST_F(DegradedTest, NoSeccomp) {
  EXPECT_THAT(refusal_of(with_bubblewrap("echo 'bwrap: prctl(PR_SET_SECCOMP) seccomp: Invalid "
                                         "argument' >&2; exit 1\n")),
              AllOf(HasSubstr("no seccomp filters"), HasSubstr("CONFIG_SECCOMP_FILTER")));
}

TEST_F(DegradedTest, NoBubblewrap) {
  config::Settings settings = with_bubblewrap("exit 1\n");
  settings.lab.bubblewrap = places_.path() / "nowhere" / "bwrap";

  EXPECT_THAT(refusal_of(settings),
              AllOf(HasSubstr("bubblewrap is not at"), HasSubstr("apt-get install bubblewrap"),
                    HasSubstr("lab.unsafe_no_sandbox")));
}

TEST_F(DegradedTest, NestedNamespacesCannotBeSwitchedOff) {
  const auto settings = with_bubblewrap(
      "for word in \"$@\"; do [ \"$word\" = --disable-userns ] && echo 'bwrap: Unknown option' >&2 "
      "&& exit 1; done\nexit 0\n");

  const auto sandbox = Sandbox::create(settings.lab);

  ASSERT_TRUE(sandbox) << sandbox.error().message;
  EXPECT_FALSE(sandbox->layers().active("nested namespaces"));
  EXPECT_FALSE(sandbox->layers().active("temporary space"));
  EXPECT_THAT(sandbox->layers().missing(), HasSubstr("only seccomp refuses them"));
}

TEST_F(DegradedTest, UnprotectedResultsSaySo) {
  config::Settings settings = with_bubblewrap("exit 1\n");
  settings.lab.unsafe_no_sandbox = true;
  auto lab = WorkerKernelLab::create(settings, config::DeviceTable::load().value());
  ASSERT_TRUE(lab) << lab.error().message;
  const Task task = twice_task();

  const auto verdict = (*lab)->judge({task, task.kernel, nullptr, 0, {}}, {});

  ASSERT_TRUE(verdict) << verdict.error().message;
  ASSERT_TRUE(verdict->measurement) << verdict->reason;
  EXPECT_FALSE(verdict->measurement->sandboxed);
}

}  // namespace
}  // namespace warpmind::profilers
