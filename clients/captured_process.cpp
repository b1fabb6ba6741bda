#include "clients/captured_process.h"

#include "base/file.h"
#include "clients/spawn_plan.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpmind::clients {
namespace {

using Clock = std::chrono::steady_clock;

/// Kills and reaps its process unless that was reaped before.
class ChildProcess {
 public:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}
  ChildProcess(const ChildProcess&) = delete;
  ChildProcess& operator=(const ChildProcess&) = delete;
  ~ChildProcess() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    (void)wait();
  }

  /// Blocks until the end; 128 + number for a signal.
  int wait() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t pid_;
};

/// Reads until the writer closes. Errors: as run_captured().
Result<std::string> read_all(int fd, const CaptureLimits& limits, Clock::time_point deadline) {
  std::string output;
  std::array<char, std::size_t{16} * 1024> chunk{};
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    pollfd watched{.fd = fd, .events = POLLIN, .revents = 0};
    const auto pause = std::clamp<std::int64_t>(left.count(), 0, 3'600'000);
    if (pause == 0) return fail(Errc::timeout, "it did not end in time");
    if (::poll(&watched, 1, static_cast<int>(pause)) <= 0) continue;
    const ssize_t n = ::read(fd, chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return output;
    output.append(chunk.data(), static_cast<std::size_t>(n));
    if (output.size() > limits.bytes) return fail(Errc::corrupt_data, "it writes without end");
  }
}

}  // namespace

Result<Captured> run_captured(const std::vector<std::string>& words, CaptureLimits limits) {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(Errc::external_failure, std::string("pipe: ") + std::strerror(errno));
  }
  const UniqueFd read_end(ends[0]);
  UniqueFd write_end(ends[1]);
  SpawnPlan plan;
  plan.give(write_end.get(), STDOUT_FILENO);
  WARPMIND_TRY(const pid_t pid, plan.spawn(words, ChildSession::shared));
  ChildProcess child(pid);
  write_end.reset();
  auto output = read_all(read_end.get(), limits, Clock::now() + limits.timeout);
  if (!output) return fail(std::move(output).error().while_doing(words.front()));
  return Captured{child.wait(), std::move(output).value()};
}

}  // namespace warpmind::clients
