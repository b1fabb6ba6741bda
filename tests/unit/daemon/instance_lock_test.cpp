#include "daemon/transport/instance_lock.h"

#include "base/file.h"

#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <filesystem>
#include <string>
#include <sys/file.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include <gmock/gmock.h>

namespace warpmind::daemon {
namespace {

class InstanceLockTest : public testing::Test {
 protected:
  /// As if the daemon `pid` had locked the file.
  UniqueFd locked_by(pid_t pid) {
    EXPECT_TRUE(write_file_atomic(path_, std::to_string(pid) + "\n"));
    UniqueFd fd(::open(path_.c_str(), O_RDWR | O_CLOEXEC));
    EXPECT_EQ(::flock(fd.get(), LOCK_EX | LOCK_NB), 0);
    return fd;
  }
  /// Some time later, as a child does that becomes its program.
  static std::jthread letting_go(UniqueFd& left) {
    return std::jthread([&left] {
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(1);
      while (std::chrono::steady_clock::now() < until) std::this_thread::yield();
      left = UniqueFd();
    });
  }
  static pid_t pid_of_the_dead() {
    const pid_t pid = ::fork();
    if (pid == 0) ::_exit(0);
    ::waitpid(pid, nullptr, 0);
    return pid;
  }

  ScratchDirectory home_ =
      std::move(ScratchDirectory::create(std::filesystem::temp_directory_path(), "lock")).value();
  std::filesystem::path path_ = home_.path() / "warpmindd.lock";
};

TEST_F(InstanceLockTest, ALivingHolderIsNamedAtOnce) {
  const auto first = InstanceLock::acquire(path_);
  ASSERT_TRUE(first);
  const auto second = InstanceLock::acquire(path_);
  ASSERT_FALSE(second);
  EXPECT_EQ(second.error().code, Errc::conflict);
  EXPECT_THAT(second.error().message, testing::HasSubstr("pid " + std::to_string(::getpid())));
}

TEST_F(InstanceLockTest, WhatADeadDaemonLeftToItsLastChildIsWaitedFor) {
  UniqueFd left = locked_by(pid_of_the_dead());
  const std::jthread child = letting_go(left);
  const auto lock = InstanceLock::acquire(path_);
  EXPECT_TRUE(lock) << lock.error().message;
}

TEST_F(InstanceLockTest, ADaemonThatEndedAndWasNotReapedIsDead) {
  const pid_t zombie = ::fork();
  if (zombie == 0) ::_exit(0);
  siginfo_t info{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(zombie), &info, WEXITED | WNOWAIT), 0);
  UniqueFd left = locked_by(zombie);
  const std::jthread child = letting_go(left);
  const auto lock = InstanceLock::acquire(path_);
  EXPECT_TRUE(lock) << lock.error().message;
  ::waitpid(zombie, nullptr, 0);
}

}  // namespace
}  // namespace warpmind::daemon
