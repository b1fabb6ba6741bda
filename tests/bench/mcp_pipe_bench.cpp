/// \file
/// Tool calls through `warpmind mcp`, beside the same calls on the daemon's socket: what the pipe
/// costs in time and memory. Usage: mcp_pipe_bench [calls a round]

#include "tests/transcript/daemon_process.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <functional>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>
#include <vector>

namespace warpmind::tests {
namespace {

using BenchClock = std::chrono::steady_clock;
constexpr int kRounds = 9;
constexpr int kStarts = 15;

std::string call_of(const std::string& tool, const std::string& arguments) {
  return R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{)"
         R"("io.modelcontextprotocol/protocolVersion":"2026-07-28",)"
         R"("io.modelcontextprotocol/clientCapabilities":{}},"name":")" +
         tool + R"(","arguments":)" + arguments + "}}\n";
}

/// `warpmind mcp` as a client starts it.
class Pipe {
 public:
  explicit Pipe(const std::filesystem::path& socket) {
    std::array<int, 2> in{};
    std::array<int, 2> out{};
    if (::pipe2(in.data(), O_CLOEXEC) != 0 || ::pipe2(out.data(), O_CLOEXEC) != 0) std::abort();
    const std::string address = "WARPMIND_DAEMON_SOCKET=" + socket.string();
    const std::string home = "HOME=" + socket.parent_path().string();
    pid_ = ::fork();
    if (pid_ == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      ::dup2(in[0], STDIN_FILENO);
      ::dup2(out[1], STDOUT_FILENO);
      ::execle(WARPMIND_BINARY_DIR "/warpmind", "warpmind", "mcp", nullptr,
               std::array<const char*, 3>{address.c_str(), home.c_str(), nullptr}.data());
      ::_exit(127);
    }
    to_.reset(in[1]);
    from_.reset(out[0]);
    ::close(in[0]);
    ::close(out[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    to_.reset();  // the end of its input is its end
    ::waitpid(pid_, nullptr, 0);
  }

  void ask(const std::string& line) {
    if (::write(to_.get(), line.data(), line.size()) != static_cast<ssize_t>(line.size())) {
      std::abort();
    }
    while (true) {
      const ssize_t n = ::read(from_.get(), chunk_.data(), chunk_.size());
      if (n <= 0) std::abort();
      if (chunk_[static_cast<std::size_t>(n) - 1] == '\n') return;
    }
  }
  /// KiB, of "Rss" or "Pss".
  [[nodiscard]] long memory_kib(const std::string& which) const {
    const auto text = read_file("/proc/" + std::to_string(pid_) + "/smaps_rollup", 1U << 16U);
    const auto at = text ? text->find("\n" + which + ":") : std::string::npos;
    return at == std::string::npos ? -1 : std::stol(text->substr(at + which.size() + 2));
  }

 private:
  pid_t pid_ = -1;
  UniqueFd to_;
  UniqueFd from_;
  std::vector<char> chunk_ = std::vector<char>(std::size_t{1} << 16U);
};

double quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

/// Of the rounds: the median, and the smallest and largest as its spread. Microseconds.
struct Figure {
  double median = 0;
  double low = 0;
  double high = 0;
};
Figure figure_of(const std::vector<double>& rounds) {
  return {quantile(rounds, 0.5), quantile(rounds, 0), quantile(rounds, 1)};
}

double microseconds_of(const std::function<void()>& work) {
  const auto from = BenchClock::now();
  work();
  return std::chrono::duration<double, std::micro>(BenchClock::now() - from).count();
}

struct Latency {
  std::vector<double> p50;
  std::vector<double> p99;
  void add_round(int calls, const std::function<void()>& call) {
    std::vector<double> samples;
    samples.reserve(static_cast<std::size_t>(calls));
    for (int i = 0; i < calls; ++i) samples.push_back(microseconds_of(call));
    p50.push_back(quantile(samples, 0.5));
    p99.push_back(quantile(samples, 0.99));
  }
};

struct Compared {
  Latency pipe;
  Latency socket;
};

/// Rounds of both take turns, so that a neighbour's load falls on both.
Compared compare(Pipe& pipe, WireClient& client, const std::string& line, int calls) {
  const auto over_pipe = [&] { pipe.ask(line); };
  const auto over_socket = [&] {
    if (!client.send(line) || !client.read_line()) std::abort();
  };
  Compared result;
  Latency warm;
  warm.add_round(calls / 4, over_pipe);
  warm.add_round(calls / 4, over_socket);
  for (int round = 0; round < kRounds; ++round) {
    result.pipe.add_round(calls, over_pipe);
    result.socket.add_round(calls, over_socket);
  }
  return result;
}

void print(const char* what, const Figure& figure) {
  std::printf("%-34s %9.1f us (%.1f … %.1f)\n", what, figure.median, figure.low, figure.high);
}

int run(int calls) {
  std::signal(SIGPIPE, SIG_IGN);
  const auto home = DaemonProcess::make_home();
  DaemonProcess daemon(home.path(), {.program = WARPMIND_BINARY_DIR "/warpmindd"});
  const std::string device = call_of("device_info", "{}");
  const std::string search = call_of("kb_search", R"({"query":"softmax row reduction"})");
  std::vector<double> starts;
  for (int i = 0; i < kStarts; ++i) {
    starts.push_back(microseconds_of([&] { Pipe(daemon.socket()).ask(device); }));
  }
  Pipe pipe(daemon.socket());
  WireClient client = WireClient::greeted(daemon.socket());
  const Compared light = compare(pipe, client, device, calls);
  const Compared found = compare(pipe, client, search, std::max(calls / 4, 50));

  std::printf("%d rounds of %d calls; median of the rounds (smallest … largest)\n", kRounds, calls);
  print("device_info, pipe, p50", figure_of(light.pipe.p50));
  print("device_info, pipe, p99", figure_of(light.pipe.p99));
  print("device_info, socket, p50", figure_of(light.socket.p50));
  print("device_info, socket, p99", figure_of(light.socket.p99));
  print("kb_search, pipe, p50", figure_of(found.pipe.p50));
  print("kb_search, pipe, p99", figure_of(found.pipe.p99));
  print("kb_search, socket, p50", figure_of(found.socket.p50));
  print("start of the pipe to first answer", figure_of(starts));
  const Figure p50 = figure_of(light.pipe.p50);
  const Figure p99 = figure_of(light.pipe.p99);
  std::printf(
      "RESULT p50_us=%.1f p50_low_us=%.1f p50_high_us=%.1f p99_us=%.1f p99_low_us=%.1f "
      "p99_high_us=%.1f socket_p50_us=%.1f search_p50_us=%.1f search_p99_us=%.1f start_ms=%.1f "
      "rss_kib=%ld pss_kib=%ld\n",
      p50.median, p50.low, p50.high, p99.median, p99.low, p99.high,
      figure_of(light.socket.p50).median, figure_of(found.pipe.p50).median,
      figure_of(found.pipe.p99).median, figure_of(starts).median / 1000, pipe.memory_kib("Rss"),
      pipe.memory_kib("Pss"));
  return 0;
}

}  // namespace
}  // namespace warpmind::tests

int main(int argc, char** argv) {
  return warpmind::tests::run(argc > 1 ? std::atoi(argv[1]) : 1000);
}
