#include "clients/daemon_launcher.h"

#include "clients/captured_process.h"
#include "protocol_server.h"

#include <array>
#include <unistd.h>

#include <gtest/gtest.h>

namespace warpmind::clients {
namespace {

LaunchOrder order_for(const std::filesystem::path& socket, std::vector<std::string> words = {}) {
  words.insert(words.end(), {"--set", "daemon.socket=" + socket.string()});
  return {.executable = WARPMIND_LITTLE_DAEMON,
          .arguments = std::move(words),
          .socket = socket,
          .patience = Milliseconds{60'000}};
}

TEST(DaemonLauncher, StartsADaemonAndConnects) {
  const auto folder = fresh_folder();

  auto client = start_daemon(order_for(folder.path() / "d.sock"));

  ASSERT_TRUE(client) << client.error().message;
  EXPECT_TRUE(client->status());
  EXPECT_TRUE(client->shutdown(daemon::protocol::ShutdownMode::park));
  EXPECT_TRUE(client->wait_for_close(Milliseconds{60'000}));
}

TEST(DaemonLauncher, ShowsTheSentenceOfADaemonThatRefuses) {
  const auto folder = fresh_folder();

  const auto client = start_daemon(order_for(folder.path() / "d.sock", {"refuse"}));

  ASSERT_FALSE(client);
  EXPECT_EQ(client.error(),
            (Error{Errc::external_failure,
                   "the daemon did not start: refusing to run as root; set daemon.allow_root"}));
}

TEST(DaemonLauncher, SaysHowADaemonWithoutAWordEnded) {
  const auto folder = fresh_folder();

  const auto client = start_daemon(order_for(folder.path() / "d.sock", {"die"}));

  ASSERT_FALSE(client);
  EXPECT_NE(client.error().message.find("exit code 7"), std::string::npos)
      << client.error().message;
}

TEST(DaemonLauncher, ConnectsToTheDaemonThatWonWhenItsOwnEnds) {
  ProtocolServer other([](ServedConnection& c) {
    c.greet();
    (void)c.receive();
  });

  const auto client = start_daemon(order_for(other.socket(), {"die"}));

  ASSERT_TRUE(client) << client.error().message;
}

TEST(DaemonLauncher, SaysThatAProgramIsMissing) {
  const auto folder = fresh_folder();
  LaunchOrder order = order_for(folder.path() / "d.sock");
  order.executable = folder.path() / "absent";

  const auto client = start_daemon(order);

  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Errc::unavailable);
  EXPECT_NE(client.error().message.find("cannot start"), std::string::npos);
}

TEST(DaemonLauncher, StopsWaitingWhenInterrupted) {
  const auto folder = fresh_folder();
  std::array<int, 2> ends{-1, -1};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const UniqueFd read_end(ends[0]);
  const UniqueFd write_end(ends[1]);
  ASSERT_EQ(::write(write_end.get(), "!", 1), 1);
  LaunchOrder order = order_for(folder.path() / "d.sock", {"die"});
  order.interrupt = read_end.get();

  const auto client = start_daemon(order);

  ASSERT_FALSE(client);
  EXPECT_EQ(client.error().code, Errc::cancelled);
}

TEST(DaemonLauncher, PrefersTheLastLineThatNamesTheDaemon) {
  EXPECT_EQ(last_sentence("warpmindd: first\nwarpmindd: second\nnoise\n"), "second");
  EXPECT_EQ(last_sentence("a\nb"), "b");
  EXPECT_EQ(last_sentence("\n\n"), "");
  EXPECT_EQ(last_sentence(""), "");
}

TEST(CapturedProcess, KeepsOutputAndExitCode) {
  const auto captured = run_captured({"/bin/sh", "-c", "echo hello; exit 3"}, {});

  ASSERT_TRUE(captured) << captured.error().message;
  EXPECT_EQ(captured->output, "hello\n");
  EXPECT_EQ(captured->exit_code, 3);
}

TEST(CapturedProcess, EndsAProgramThatHangs) {
  const auto captured =
      run_captured({"/bin/sh", "-c", "exec tail -f /dev/null"}, {.timeout = Milliseconds{20}});

  ASSERT_FALSE(captured);
  EXPECT_EQ(captured.error().code, Errc::timeout);
}

TEST(CapturedProcess, EndsAProgramThatWritesWithoutEnd) {
  const auto captured = run_captured({"/bin/sh", "-c", "exec yes"}, {.bytes = 1000});

  ASSERT_FALSE(captured);
  EXPECT_EQ(captured.error().code, Errc::corrupt_data);
}

}  // namespace
}  // namespace warpmind::clients
