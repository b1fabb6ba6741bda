/// \file
/// Round trips of `hello` and `status` on the real daemon, beside a bare server that only parses
/// and dumps: what our layers cost. Usage: rpc_ping_bench [seconds a phase]

#include "tests/transcript/daemon_process.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <poll.h>
#include <string>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <nlohmann/json.hpp>

namespace warpmind::tests {
namespace {

namespace asio = boost::asio;
using Stream = asio::local::stream_protocol;
using BenchClock = std::chrono::steady_clock;
constexpr auto kUseResult = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kClients = 16;
const std::string kHello =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"hello\",\"params\":{\"client\":\"bench\","
    "\"protocol\":1}}\n";
const std::string kStatus = "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"status\",\"params\":{}}\n";

asio::awaitable<void> echo(std::shared_ptr<Stream::socket> socket) {
  std::string input;
  while (true) {
    auto buffer = asio::dynamic_buffer(input);
    const auto [error, bytes] = co_await asio::async_read_until(*socket, buffer, '\n', kUseResult);
    if (error) co_return;
    const auto request = nlohmann::json::parse(input.substr(0, bytes), nullptr, false);
    input.erase(0, bytes);
    const nlohmann::json reply = {
        {"jsonrpc", "2.0"}, {"id", request["id"]}, {"result", request["params"]}};
    const std::string line = reply.dump() + "\n";
    const auto output = asio::buffer(line);
    const auto [failed, written] = co_await asio::async_write(*socket, output, kUseResult);
    if (failed) co_return;
  }
}

asio::awaitable<void> accept_all(Stream::acceptor& acceptor) {
  auto ignore = [](const std::exception_ptr&) {};
  while (true) {
    auto [error, socket] = co_await acceptor.async_accept(kUseResult);
    if (error) co_return;
    auto shared = std::make_shared<Stream::socket>(std::move(socket));
    asio::co_spawn(acceptor.get_executor(), echo(std::move(shared)), ignore);
  }
}

/// The bare server, in a process of its own as the daemon is.
class EchoServer {
 public:
  explicit EchoServer(const std::filesystem::path& socket) {
    asio::io_context io(1);
    Stream::acceptor acceptor(io, Stream::endpoint(socket.string()));
    io.notify_fork(asio::execution_context::fork_prepare);
    pid_ = ::fork();
    if (pid_ != 0) {
      io.notify_fork(asio::execution_context::fork_parent);
      return;
    }
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    io.notify_fork(asio::execution_context::fork_child);
    auto ignore = [](const std::exception_ptr&) {};
    asio::co_spawn(io, accept_all(acceptor), ignore);
    io.run();
    ::_exit(0);
  }
  EchoServer(const EchoServer&) = delete;
  EchoServer& operator=(const EchoServer&) = delete;
  ~EchoServer() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }

 private:
  pid_t pid_ = -1;
};

struct Latency {
  double p50_us = 0;
  double p99_us = 0;
};

Latency latency_of(WireClient& client, std::chrono::duration<double> time) {
  std::vector<double> samples;
  const auto end = BenchClock::now() + time;
  for (std::size_t n = 0; BenchClock::now() < end; ++n) {
    const auto from = BenchClock::now();
    if (!client.send(n % 2 == 0 ? kHello : kStatus) || !client.read_line()) std::abort();
    samples.push_back(std::chrono::duration<double, std::micro>(BenchClock::now() - from).count());
  }
  std::sort(samples.begin(), samples.end());
  const auto at = [&samples](double q) {
    return samples[static_cast<std::size_t>(q * static_cast<double>(samples.size() - 1))];
  };
  return {at(0.5), at(0.99)};
}

/// Requests a second with one request of each client under way all the time.
double rate_of(std::vector<WireClient>& clients, std::chrono::duration<double> time) {
  std::vector<pollfd> waits;
  for (auto& client : clients) {
    waits.push_back({client.fd(), POLLIN, 0});
    if (!client.send(kHello)) std::abort();
  }
  std::array<char, 65536> chunk{};
  std::size_t answered = 0;
  const auto start = BenchClock::now();
  const auto end = start + time;
  while (BenchClock::now() < end) {
    if (::poll(waits.data(), waits.size(), 10'000) <= 0) std::abort();
    for (std::size_t i = 0; i < waits.size(); ++i) {
      if (waits[i].revents == 0) continue;
      const ssize_t n = ::recv(waits[i].fd, chunk.data(), chunk.size(), 0);
      if (n <= 0) std::abort();
      if (chunk[static_cast<std::size_t>(n) - 1] != '\n') continue;
      ++answered;
      if (!clients[i].send(kHello)) std::abort();
    }
  }
  return static_cast<double>(answered) /
         std::chrono::duration<double>(BenchClock::now() - start).count();
}

int run(double seconds) {
  const std::chrono::duration<double> time(seconds);
  const auto home = DaemonProcess::make_home();
  const auto echo_path = home.path() / "echo.sock";
  const EchoServer server(echo_path);
  DaemonProcess daemon(home.path(), {.program = WARPMIND_BINARY_DIR "/warpmindd"});

  WireClient single = WireClient::greeted(daemon.socket());
  (void)latency_of(single, time / 4);  // warm
  const Latency latency = latency_of(single, time);
  std::vector<WireClient> ours;
  std::vector<WireClient> bare;
  for (std::size_t i = 0; i < kClients; ++i) {
    ours.push_back(WireClient::greeted(daemon.socket()));
    bare.push_back(std::move(*WireClient::connect(echo_path)));
  }
  // Interleaved, so that a neighbour's load falls on both.
  double ours_rps = 0;
  double bare_rps = 0;
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds; ++round) {  // each leaves one answer a client unread
    ours_rps += rate_of(ours, time / kRounds) / kRounds;
    bare_rps += rate_of(bare, time / kRounds) / kRounds;
    for (auto* clients : {&ours, &bare}) {
      for (auto& client : *clients) {
        if (!client.read_line()) std::abort();
      }
    }
  }
  WireClient bare_single = std::move(*WireClient::connect(echo_path));
  const Latency bare_latency = latency_of(bare_single, time / 2);
  std::printf("bare server, 1 client: p50 %.1f us, p99 %.1f us\n", bare_latency.p50_us,
              bare_latency.p99_us);
  std::printf("RESULT p50_us=%.1f p99_us=%.1f rps_16=%.0f echo_rps_16=%.0f ratio=%.2f\n",
              latency.p50_us, latency.p99_us, ours_rps, bare_rps, ours_rps / bare_rps);
  return 0;
}

}  // namespace
}  // namespace warpmind::tests

int main(int argc, char** argv) {
  return warpmind::tests::run(argc > 1 ? std::strtod(argv[1], nullptr) : 4.0);
}
