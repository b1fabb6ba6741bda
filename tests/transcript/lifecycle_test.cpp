#include "tests/transcript/daemon_process.h"

#include <csignal>
#include <cstring>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace warpmind::tests {
namespace {

constexpr const char* kProgram = WARPMIND_BINARY_DIR "/warpmindd-scripted";
constexpr const char* kTask = WARPMIND_SOURCE_DIR "/tasks/row_softmax_f16";

std::string job_params(const std::string& more) {
  return R"({"directory":")" + std::string(kTask) + R"(",)" + more + "}";
}

bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 ? status.st_mode & 07777U : 0;
}

UniqueFd listen_at(const std::filesystem::path& path) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(static_cast<char*>(address.sun_path), path.c_str(), sizeof(address.sun_path) - 1);
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0)
    return {};
  if (::listen(fd.get(), 8) != 0) return {};
  return fd;
}

class DaemonLifecycle : public testing::Test {
 protected:
  /// Starts a daemon that must not get ready; returns its exit status.
  int refused(const std::vector<std::string>& arguments = {}) {
    DaemonProcess daemon(home_.path(),
                         {.program = kProgram, .arguments = arguments, .wait_until_ready = false});
    const int status = daemon.wait();
    said_ = daemon.stderr_text();
    return status;
  }

  ScratchDirectory home_ = DaemonProcess::make_home();
  std::string said_;
};

TEST_F(DaemonLifecycle, FilesAreForTheOwnerOnly) {
  const mode_t before = ::umask(0);
  DaemonProcess daemon(home_.path(), {.program = kProgram});
  ::umask(before);

  EXPECT_EQ(mode_of(daemon.socket()), 0600U);
  EXPECT_EQ(mode_of(daemon.socket().parent_path()), 0700U);
  EXPECT_EQ(mode_of(home_.path() / "state"), 0700U);
  EXPECT_EQ(mode_of(home_.path() / "state" / "warpmindd.lock"), 0600U);
}

TEST_F(DaemonLifecycle, SecondInstanceNamesTheFirst) {
  DaemonProcess first(home_.path(), {.program = kProgram});

  EXPECT_EQ(refused(), 3);

  EXPECT_TRUE(contains(said_, "already runs (pid " + std::to_string(first.pid()))) << said_;
  EXPECT_TRUE(contains(WireClient::greeted(first.socket()).call("hello"), "\"result\""));
}

TEST_F(DaemonLifecycle, SocketOfADeadDaemonIsReplaced) {
  {
    DaemonProcess first(home_.path(), {.program = kProgram});
    first.signal(SIGKILL);
    EXPECT_EQ(first.wait(), 128 + SIGKILL);
    EXPECT_TRUE(std::filesystem::exists(first.socket()));
  }

  DaemonProcess second(home_.path(), {.program = kProgram});

  EXPECT_TRUE(contains(WireClient::greeted(second.socket()).call("hello"), "\"result\""));
}

TEST_F(DaemonLifecycle, SocketOfALivingProcessIsLeftAlone) {
  const auto directory = home_.path() / "run";
  ASSERT_TRUE(make_private_directory(directory));
  const UniqueFd other = listen_at(directory / "d.sock");
  ASSERT_TRUE(other);

  EXPECT_EQ(refused(), 3);

  EXPECT_TRUE(contains(said_, "another process listens on")) << said_;
  EXPECT_TRUE(WireClient::connect(directory / "d.sock"));
}

TEST_F(DaemonLifecycle, DirectoryThatOthersCanEnterIsRefused) {
  const auto directory = home_.path() / "run";
  ASSERT_TRUE(make_private_directory(directory));
  ASSERT_EQ(::chmod(directory.c_str(), 0770), 0);

  EXPECT_EQ(refused(), 2);

  EXPECT_TRUE(contains(said_, "run: chmod 700 " + directory.string())) << said_;
}

TEST_F(DaemonLifecycle, SymbolicLinkAsDirectoryIsRefused) {
  ASSERT_TRUE(make_private_directory(home_.path() / "elsewhere"));
  std::filesystem::create_directory_symlink(home_.path() / "elsewhere", home_.path() / "run");

  EXPECT_EQ(refused(), 2);

  EXPECT_TRUE(contains(said_, "is a symbolic link")) << said_;
}

TEST_F(DaemonLifecycle, SymbolicLinkAsParentOfTheDirectoryIsRefused) {
  ASSERT_TRUE(make_private_directory(home_.path() / "real"));
  std::filesystem::create_directory_symlink(home_.path() / "real", home_.path() / "link");
  DaemonProcess daemon(home_.path(), {.program = kProgram,
                                      .socket = home_.path() / "link" / "run" / "d.sock",
                                      .wait_until_ready = false});

  EXPECT_EQ(daemon.wait(), 2);

  EXPECT_TRUE(contains(daemon.stderr_text(), "is a symbolic link")) << daemon.stderr_text();
}

TEST_F(DaemonLifecycle, DirectoryThatOthersCanReplaceIsRefused) {
  ASSERT_EQ(::chmod(home_.path().c_str(), 0777), 0);

  EXPECT_EQ(refused(), 2);

  EXPECT_TRUE(contains(said_, "run: chmod go-w " + home_.path().string())) << said_;
  ASSERT_EQ(::chmod(home_.path().c_str(), 01777), 0);  // as /tmp
  DaemonProcess daemon(home_.path(), {.program = kProgram});
  EXPECT_TRUE(contains(WireClient::greeted(daemon.socket()).call("hello"), "\"result\""));
}

TEST_F(DaemonLifecycle, OtherFileInThePlaceOfTheSocketIsLeftAlone) {
  ASSERT_TRUE(make_private_directory(home_.path() / "run"));
  ASSERT_TRUE(write_file_atomic(home_.path() / "run" / "d.sock", "precious"));

  EXPECT_EQ(refused(), 3);

  EXPECT_TRUE(contains(said_, "is not a socket")) << said_;
  EXPECT_EQ(read_file(home_.path() / "run" / "d.sock", 100).value_or(""), "precious");
}

TEST_F(DaemonLifecycle, TooLongSocketPathIsRefused) {
  DaemonProcess daemon(home_.path(), {.program = kProgram,
                                      .socket = "/tmp/" + std::string(120, 'x') + "/s",
                                      .wait_until_ready = false});

  EXPECT_EQ(daemon.wait(), 2);

  EXPECT_TRUE(contains(daemon.stderr_text(), "107")) << daemon.stderr_text();
}

TEST_F(DaemonLifecycle, UnknownSettingIsRefused) {
  EXPECT_EQ(refused({"--set", "daemon.conections=3"}), 2);

  EXPECT_TRUE(contains(said_, "daemon.connections")) << said_;
}

TEST_F(DaemonLifecycle, UnknownFlagIsRefused) {
  EXPECT_EQ(refused({"--fork"}), 2);

  EXPECT_TRUE(contains(said_, "--help")) << said_;
}

TEST_F(DaemonLifecycle, RootIsRefusedUnlessAllowed) {
  if (::geteuid() != 0) GTEST_SKIP() << "needs root to be refused";
  DaemonProcess daemon(home_.path(), {.program = kProgram,
                                      .arguments = {"--set", "daemon.allow_root=false"},
                                      .wait_until_ready = false,
                                      .allow_root = false});

  EXPECT_EQ(daemon.wait(), 2);

  EXPECT_TRUE(contains(daemon.stderr_text(), "refuses to run as root")) << daemon.stderr_text();
  EXPECT_TRUE(contains(daemon.stderr_text(), "add `--set daemon.allow_root=true`"))
      << daemon.stderr_text();
}

TEST_F(DaemonLifecycle, TakesASocketFromTheServiceManager) {
  ASSERT_TRUE(make_private_directory(home_.path() / "run"));
  const auto path = home_.path() / "run" / "d.sock";
  const UniqueFd listening = listen_at(path);
  ASSERT_TRUE(listening);
  auto early = WireClient::connect(path);  // before the daemon is there
  ASSERT_TRUE(early);

  DaemonProcess daemon(home_.path(), {.program = kProgram, .passed_socket = listening.get()});
  const auto greeting = early->read_line();

  ASSERT_TRUE(greeting);
  EXPECT_TRUE(contains(*greeting, "\"greeting\"")) << *greeting;
  EXPECT_TRUE(contains(early->call("shutdown"), "\"result\":{}"));
  EXPECT_EQ(daemon.wait(), 0);
  EXPECT_TRUE(std::filesystem::exists(path));  // it is the service manager's
}

TEST_F(DaemonLifecycle, SigtermParksTheRunningJobAndTheNextStartResumesIt) {
  {
    DaemonProcess daemon(home_.path(), {.program = kProgram});
    WireClient client = WireClient::greeted(daemon.socket());
    ASSERT_TRUE(
        contains(client.call("task.submit", job_params(R"("evaluations":0,"watch":true)")), "j-"));
    while (const auto line = client.read_line()) {
      if (contains(*line, "\"judging\"")) break;
    }

    daemon.signal(SIGTERM);

    EXPECT_TRUE(daemon.await_notice("STOPPING=1"));
    EXPECT_EQ(daemon.wait(), 0);
    EXPECT_FALSE(std::filesystem::exists(daemon.socket()));
  }
  DaemonProcess daemon(home_.path(), {.program = kProgram});
  WireClient client = WireClient::greeted(daemon.socket());
  ASSERT_NE(client.call("task.status", R"({"job_id":"j-0000000001","watch":true})"), "");
  while (const auto line = client.read_line()) {
    if (contains(*line, "\"judging\"")) break;
  }

  const std::string job = client.call("task.result", R"({"job_id":"j-0000000001"})");

  EXPECT_TRUE(contains(job, "\"state\":\"running\"")) << job;
  EXPECT_TRUE(contains(job, "\"attempts\":1")) << job;  // a parked start does not count
}

TEST_F(DaemonLifecycle, StopEndsAlsoWhatDoesNotStop) {
  DaemonProcess daemon(home_.path(),
                       {.program = kProgram, .environment = {"SCRIPTED_STUCK_DEVICE=1"}});
  WireClient client = WireClient::greeted(daemon.socket());
  ASSERT_TRUE(client.send(R"({"jsonrpc":"2.0","id":1,"method":"task.submit","params":)" +
                          job_params(R"("provider":"gpu")") + "}\n"));
  EXPECT_TRUE(contains(client.call("hello"), "\"result\""));

  daemon.signal(SIGTERM);

  EXPECT_EQ(daemon.wait(), EXIT_FAILURE);
  const auto log = read_file(home_.path() / "state" / "warpmindd.log", 1U << 20U);
  ASSERT_TRUE(log);
  EXPECT_TRUE(contains(*log, "work that was asked to stop did not")) << *log;
}

TEST_F(DaemonLifecycle, JobThatKillsTheDaemonThreeTimesIsGivenUp) {
  {
    DaemonProcess daemon(home_.path(), {.program = kProgram});
    WireClient client = WireClient::greeted(daemon.socket());
    (void)client.call("task.submit", job_params(R"("seconds":13)"));
    EXPECT_EQ(daemon.wait(), 128 + SIGKILL);
  }
  for (int restart = 0; restart < 2; ++restart) {
    DaemonProcess daemon(home_.path(), {.program = kProgram, .wait_until_ready = false});
    EXPECT_EQ(daemon.wait(), 128 + SIGKILL);
  }

  DaemonProcess daemon(home_.path(), {.program = kProgram});
  WireClient client = WireClient::greeted(daemon.socket());
  const std::string job = client.call("task.status", R"({"job_id":"j-0000000001"})");

  EXPECT_TRUE(contains(job, "\"state\":\"failed\"")) << job;
  EXPECT_TRUE(contains(job, "the daemon ended 3 times while this job ran")) << job;
}

TEST_F(DaemonLifecycle, LeavesByItselfWhenNobodyAsks) {
  DaemonProcess daemon(home_.path(),
                       {.program = kProgram, .arguments = {"--set", "daemon.idle_exit_s=1"}});

  EXPECT_EQ(daemon.wait(), 0);
}

}  // namespace
}  // namespace warpmind::tests
