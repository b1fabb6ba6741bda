#include "profilers/machine_turn.h"

#include "base/file.h"

#include <atomic>
#include <fcntl.h>
#include <filesystem>
#include <sys/file.h>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>

namespace warpmind::profilers {
namespace {

/// Two turns are two processes: each opens the lock files for itself.
class MachineTurnTest : public ::testing::Test {
 protected:
  [[nodiscard]] static std::filesystem::path file(const char* which) {
    return std::filesystem::temp_directory_path() / ("warpmind-" + kDevice + which);
  }
  void TearDown() override {
    std::filesystem::remove(file(".lock"));
    std::filesystem::remove(file(".next.lock"));
  }
  /// Until somebody waits next for the device.
  static void await_waiter() {
    for (;;) {
      const UniqueFd probe(::open(file(".next.lock").c_str(), O_RDONLY | O_CLOEXEC));
      if (probe && ::flock(probe.get(), LOCK_EX | LOCK_NB) != 0) return;
      std::this_thread::yield();
    }
  }
  static std::stop_token stopped() {
    std::stop_source source;
    source.request_stop();
    return source.get_token();
  }

  static inline const std::string kDevice = "GPU-test-" + std::to_string(::getpid());
  MachineTurn ours_;
  MachineTurn theirs_;
};

TEST_F(MachineTurnTest, LabsOfOneProcessShareItAndOthersDoNot) {
  const auto first = ours_.take(kDevice, {});
  const auto second = ours_.take(kDevice, {});
  EXPECT_TRUE(first);
  EXPECT_TRUE(second);

  const auto other = theirs_.take(kDevice, stopped());

  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().code, Errc::cancelled);
}

TEST_F(MachineTurnTest, AnotherDeviceIsAnotherTurn) {
  const auto ours = ours_.take(kDevice, {});
  ASSERT_TRUE(ours);
  const std::string other = kDevice + "b";
  EXPECT_TRUE(theirs_.take(other, stopped()));
  for (const char* which : {".lock", ".next.lock"}) {
    std::filesystem::remove(std::filesystem::temp_directory_path() / ("warpmind-" + other + which));
  }
}

TEST_F(MachineTurnTest, TheLastOneOfAProcessGivesItUp) {
  {
    const auto first = ours_.take(kDevice, {});
    {
      const auto second = ours_.take(kDevice, {});
      EXPECT_TRUE(second);
    }
    EXPECT_FALSE(theirs_.take(kDevice, stopped()));
  }
  EXPECT_TRUE(theirs_.take(kDevice, stopped()));
}

TEST_F(MachineTurnTest, NobodyJoinsWhileAnotherProcessWaits) {
  std::atomic<bool> theirs_had_it = false;
  std::jthread waiter;
  {
    const auto first = ours_.take(kDevice, {});
    ASSERT_TRUE(first);
    waiter = std::jthread([&] { theirs_had_it = theirs_.take(kDevice, {}).has_value(); });
    await_waiter();
    EXPECT_FALSE(ours_.take(kDevice, stopped()));
    EXPECT_FALSE(theirs_had_it);
  }
  waiter.join();
  EXPECT_TRUE(theirs_had_it);
  EXPECT_TRUE(ours_.take(kDevice, {}));
}

}  // namespace
}  // namespace warpmind::profilers
