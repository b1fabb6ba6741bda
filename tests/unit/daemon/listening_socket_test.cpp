#include "daemon/transport/listening_socket.h"

#include <atomic>
#include <sys/stat.h>
#include <thread>

#include <gtest/gtest.h>

namespace warpmind::daemon {
namespace {

// Between bind and any later change of its mode others could connect: so there must be no between.
TEST(ListeningSocketTest, NeverOpenToOthersWhileItIsMade) {
  constexpr int kRounds = 10'000;
  constexpr int kMostRounds = 1'000'000;  // until the watcher had a turn on a busy machine
  const auto home = ScratchDirectory::create(std::filesystem::temp_directory_path(), "sock");
  ASSERT_TRUE(home.has_value());
  const auto path = home->path() / "run" / "d.sock";
  std::atomic<bool> made_all = false;
  std::atomic<int> seen = 0;
  std::atomic<int> open_to_others = 0;
  std::jthread watcher([&] {
    while (!made_all) {
      struct stat status {};
      if (::lstat(path.c_str(), &status) != 0) continue;
      ++seen;
      if ((status.st_mode & 077U) != 0) ++open_to_others;
    }
  });
  for (int i = 0; i < kRounds || (seen == 0 && i < kMostRounds); ++i) {
    const auto socket = ListeningSocket::bind(path);
    ASSERT_TRUE(socket.has_value()) << socket.error().message;
  }
  made_all = true;
  watcher.join();
  EXPECT_GT(seen, 0);
  EXPECT_EQ(open_to_others, 0);
}

}  // namespace
}  // namespace warpmind::daemon
