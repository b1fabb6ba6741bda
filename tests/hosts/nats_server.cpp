#include "tests/hosts/nats_server.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <netinet/in.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace warpmind::tests {
namespace {

constexpr const char* kServer = "/usr/sbin/nats-server";

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// One that nobody listens on now.
int free_port() {
  const UniqueFd probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = loopback(0);
  socklen_t size = sizeof(address);
  if (::bind(probe.get(), reinterpret_cast<sockaddr*>(&address), size) != 0) return 0;
  if (::getsockname(probe.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.sin_port);
}

bool answers(int port) {
  const UniqueFd probe(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  return ::connect(probe.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0;
}

}  // namespace

Result<std::unique_ptr<NatsServer>> NatsServer::start(const std::string& token) {
  if (::access(kServer, X_OK) != 0) {
    return fail(Errc::unavailable,
                std::string(kServer) + " is not installed: apt-get install nats-server");
  }
  WARPMIND_TRY(auto scratch,
               ScratchDirectory::create(std::filesystem::temp_directory_path(), "nats"));
  std::unique_ptr<NatsServer> server(new NatsServer(std::move(scratch), token));
  WARPMIND_CHECK(server->launch(free_port()));
  return server;
}

NatsServer::~NatsServer() { kill(); }

Result<void> NatsServer::launch(int port) {
  using namespace std::chrono_literals;
  port_ = port;
  url_ = "nats://127.0.0.1:" + std::to_string(port);
  std::vector<std::string> words{kServer,
                                 "-a",
                                 "127.0.0.1",
                                 "-p",
                                 std::to_string(port),
                                 "-js",
                                 "-sd",
                                 (scratch_.path() / "store").string()};
  if (!token_.empty()) words.insert(words.end(), {"--auth", token_});
  std::vector<char*> argv;
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const UniqueFd log(
      ::open((scratch_.path() / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600));
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ == 0) {
    // A test that is killed must not leave a server behind, nor hold the test's output open.
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(1);
    ::dup2(log.get(), STDOUT_FILENO);
    ::dup2(log.get(), STDERR_FILENO);
    ::execv(kServer, argv.data());
    ::_exit(127);
  }
  if (pid_ < 0) return fail(Errc::external_failure, "nats-server could not be started");
  const auto end = std::chrono::steady_clock::now() + 20s;
  while (!answers(port_)) {
    if (std::chrono::steady_clock::now() > end) {
      return fail(Errc::timeout, "nats-server does not answer");
    }
    std::this_thread::yield();
  }
  return {};
}

void NatsServer::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

Result<void> NatsServer::start_again() { return launch(port_); }

void NatsServer::wipe() {
  std::error_code ignored;
  std::filesystem::remove_all(scratch_.path() / "store", ignored);
}

}  // namespace warpmind::tests
