#include "tests/transcript/daemon_process.h"

#include <algorithm>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

namespace warpmind::tests {
namespace {

constexpr const char* kProgram = WARPMIND_BINARY_DIR "/warpmindd-scripted";
constexpr const char* kTask = WARPMIND_SOURCE_DIR "/tasks/row_softmax_f16";

std::string endless_job() {
  return R"({"directory":")" + std::string(kTask) + R"(","evaluations":0,"watch":true})";
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

class HostileClients : public testing::Test {
 protected:
  ScratchDirectory home_ = DaemonProcess::make_home();
};

TEST_F(HostileClients, ThousandConnectionsLeaveAnHonestOneServed) {
  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  const auto crowd_size = std::min<std::size_t>(1000, files.rlim_cur - 100);
  DaemonProcess daemon(home_.path(),
                       {.program = kProgram, .arguments = {"--set", "daemon.connections=1024"}});
  WireClient honest = WireClient::greeted(daemon.socket());

  std::vector<WireClient> crowd;
  crowd.reserve(crowd_size);
  for (std::size_t i = 0; i < crowd_size; ++i) {
    crowd.push_back(WireClient::greeted(daemon.socket()));
    ASSERT_TRUE(crowd.back().send(i % 2 == 0 ? R"({"jsonrpc":"2.0","id":1,"meth)"
                                             : "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":"
                                               "\"status\"}\n"));
  }

  EXPECT_TRUE(contains(honest.call("status"), "\"connections\":" + std::to_string(crowd_size + 1)));
  crowd.clear();
  EXPECT_TRUE(contains(honest.call("hello"), "\"result\""));
  EXPECT_TRUE(contains(WireClient::greeted(daemon.socket()).call("hello"), "\"result\""));
}

TEST_F(HostileClients, ConnectionOverTheLimitGetsOneSentence) {
  DaemonProcess daemon(home_.path(),
                       {.program = kProgram, .arguments = {"--set", "daemon.connections=4"}});
  std::vector<WireClient> allowed;
  allowed.reserve(4);
  for (int i = 0; i < 4; ++i) allowed.push_back(WireClient::greeted(daemon.socket()));

  auto refused = WireClient::connect(daemon.socket());
  ASSERT_TRUE(refused);
  const auto line = refused->read_line();

  ASSERT_TRUE(line);
  EXPECT_TRUE(contains(*line, "-32011")) << *line;
  EXPECT_TRUE(contains(*line, "raise daemon.connections")) << *line;
  EXPECT_TRUE(refused->at_end());
  EXPECT_TRUE(contains(allowed[0].call("hello"), "\"result\""));
  // A place that becomes free is given away again, as soon as the daemon has seen it.
  allowed[3].close();
  bool admitted = false;
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!admitted && std::chrono::steady_clock::now() < deadline) {
    auto next = WireClient::connect(daemon.socket());
    ASSERT_TRUE(next);
    const auto first = next->read_line();
    admitted = first && contains(*first, "greeting");
  }
  EXPECT_TRUE(admitted);
}

TEST_F(HostileClients, ClientThatNeverReadsIsDropped) {
  DaemonProcess daemon(home_.path(), {.program = kProgram});
  WireClient deaf = WireClient::greeted(daemon.socket());
  WireClient honest = WireClient::greeted(daemon.socket());

  int sent = 0;
  while (sent < 1'000'000 && deaf.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\"}\n")) {
    ++sent;
  }

  EXPECT_LT(sent, 1'000'000);
  EXPECT_TRUE(contains(honest.call("status"), "\"connections\":1"));
}

TEST_F(HostileClients, ClientThatVanishesLeavesItsJobRunning) {
  DaemonProcess daemon(home_.path(), {.program = kProgram});
  WireClient watcher = WireClient::greeted(daemon.socket());
  ASSERT_TRUE(contains(watcher.call("task.submit", endless_job()), "\"ahead\":0"));
  while (const auto line = watcher.read_line()) {
    if (contains(*line, "\"judging\"")) break;
  }

  watcher.close();
  WireClient asker = WireClient::greeted(daemon.socket());
  ASSERT_TRUE(asker.send(R"({"jsonrpc":"2.0","id":1,"method":"task.submit","params":)" +
                         endless_job() + "}\n"));
  asker.close();  // before the answer

  WireClient honest = WireClient::greeted(daemon.socket());
  EXPECT_TRUE(contains(honest.call("status"), "\"running\":1"));
  EXPECT_TRUE(contains(honest.call("task.cancel", R"({"job_id":"j-0000000001"})"), "\"running\""));
}

TEST_F(HostileClients, HalfClosedClientStillGetsItsAnswer) {
  DaemonProcess daemon(home_.path(), {.program = kProgram});
  WireClient client = WireClient::greeted(daemon.socket());

  ASSERT_TRUE(client.send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"kb.stats\"}\n"));
  client.finish_sending();
  const auto answer = client.read_line();

  ASSERT_TRUE(answer);
  EXPECT_TRUE(contains(*answer, "schema_version"));
  EXPECT_TRUE(client.at_end());
}

TEST_F(HostileClients, SameUserInAnotherUserNamespaceIsRefused) {
  DaemonProcess daemon(home_.path(), {.program = kProgram});

  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::unshare(CLONE_NEWUSER) != 0) ::_exit(77);
    auto client = WireClient::connect(daemon.socket());
    if (!client) ::_exit(2);
    const auto line = client->read_line();
    ::_exit(line && contains(*line, "-32012") && client->at_end() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);

  if (WIFEXITED(status) && WEXITSTATUS(status) == 77) {
    GTEST_SKIP() << "this machine allows no user namespaces";
  }
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(contains(WireClient::greeted(daemon.socket()).call("hello"), "\"result\""));
}

}  // namespace
}  // namespace warpmind::tests
