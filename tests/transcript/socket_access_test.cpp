/// \file
/// Who may speak on the socket, where the files alone do not keep others out.

#include "tests/transcript/daemon_process.h"

#include <cstring>
#include <filesystem>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

namespace warpmind::tests {
namespace {

constexpr const char* kProgram = WARPMIND_BINARY_DIR "/warpmindd-scripted";
constexpr uid_t kNobody = 65534;

/// A socket that everybody can reach, as a careless service unit would make it.
UniqueFd listen_for_all(const std::filesystem::path& path) {
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(static_cast<char*>(address.sun_path), path.c_str(), sizeof(address.sun_path) - 1);
  const auto* generic = reinterpret_cast<const sockaddr*>(&address);
  const bool listens = ::bind(fd.get(), generic, sizeof(address)) == 0 &&
                       ::listen(fd.get(), 8) == 0 && ::chmod(path.c_str(), 0777) == 0;
  return listens ? std::move(fd) : UniqueFd();
}

TEST(SocketAccess, OtherUserIsRefusedBeforeItSaysAnything) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can act as another user";
  const auto home = DaemonProcess::make_home();
  const auto run = home.path() / "run";
  std::filesystem::create_directory(run);
  ASSERT_EQ(::chmod(home.path().c_str(), 0711), 0);
  ASSERT_EQ(::chmod(run.c_str(), 0777), 0);
  const UniqueFd listening = listen_for_all(run / "d.sock");
  ASSERT_TRUE(listening);
  DaemonProcess daemon(home.path(), {.program = kProgram, .passed_socket = listening.get()});

  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    if (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0) ::_exit(77);
    auto client = WireClient::connect(daemon.socket());
    if (!client) ::_exit(2);
    (void)client->send("{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"status\"}\n");
    const auto line = client->read_line();
    const bool refused = line && line->find("-32012") != std::string::npos;
    ::_exit(refused && client->at_end() ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
    GTEST_SKIP() << "this root cannot change users";
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_NE(WireClient::greeted(daemon.socket()).call("hello").find("\"result\""),
            std::string::npos);
}

}  // namespace
}  // namespace warpmind::tests
