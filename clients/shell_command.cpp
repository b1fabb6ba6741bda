#include "clients/shell_command.h"

#include "base/file.h"
#include "clients/spawn_plan.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace warpmind::clients {
namespace {

using Clock = std::chrono::steady_clock;

/// A session of processes: killed as a whole by the destructor.
class ShellSession {
 public:
  explicit ShellSession(pid_t leader) : leader_(leader) {}
  ShellSession(const ShellSession&) = delete;
  ShellSession& operator=(const ShellSession&) = delete;
  ~ShellSession() {
    // Also after a regular end: what the command left in the background goes with it.
    ::kill(-leader_, SIGKILL);
    if (!is_reaped_) (void)wait();
  }

  int wait() {
    int status = 0;
    while (::waitpid(leader_, &status, 0) < 0 && errno == EINTR) {
    }
    is_reaped_ = true;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  }

 private:
  pid_t leader_;
  bool is_reaped_ = false;
};

struct OutputPipe {
  UniqueFd read;
  UniqueFd write;
};

Result<OutputPipe> open_pipe() {
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(Errc::external_failure, std::string("pipe: ") + std::strerror(errno));
  }
  return OutputPipe{UniqueFd(ends[0]), UniqueFd(ends[1])};
}

/// Appends what is there; false at the end.
bool take(int fd, std::string& into) {
  std::array<char, std::size_t{64} * 1024> chunk{};
  const ssize_t n = ::read(fd, chunk.data(), chunk.size());
  if (n < 0) return errno == EINTR;
  into.append(chunk.data(), static_cast<std::size_t>(n));
  return n > 0;
}

/// Until both are closed. Errors: as run_shell().
Result<void> read_both(int output, int errors, const ShellLimits& limits, int interrupt,
                       ShellEnd& end) {
  const auto deadline = Clock::now() + limits.timeout;
  std::array<pollfd, 3> watched{{{output, POLLIN, 0}, {errors, POLLIN, 0}, {interrupt, POLLIN, 0}}};
  while (watched[0].fd >= 0 || watched[1].fd >= 0) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now());
    const auto pause = std::clamp<std::int64_t>(left.count(), 0, 3'600'000);
    if (pause == 0) return fail(Errc::timeout, "it did not end in time");
    if (::poll(watched.data(), watched.size(), static_cast<int>(pause)) <= 0) continue;
    if (watched[2].revents != 0) return fail(Errc::cancelled, "cancelled");
    for (std::size_t i = 0; i < 2; ++i) {
      const bool more =
          watched.at(i).revents == 0 || take(watched.at(i).fd, i == 0 ? end.output : end.errors);
      if (!more) watched.at(i).fd = -1;
    }
    if (end.output.size() + end.errors.size() > limits.bytes) {
      return fail(Errc::corrupt_data, "it writes more than " + std::to_string(limits.bytes >> 20U) +
                                          " MiB to its output");
    }
  }
  return {};
}

}  // namespace

Result<ShellEnd> run_shell(const std::string& command, const std::vector<std::string>& environment,
                           ShellLimits limits, int interrupt) {
  WARPMIND_TRY(auto output, open_pipe());
  WARPMIND_TRY(auto errors, open_pipe());
  SpawnPlan plan;
  plan.give(output.write.get(), STDOUT_FILENO);
  plan.give(errors.write.get(), STDERR_FILENO);
  std::vector<std::string> words{"/usr/bin/env"};
  words.insert(words.end(), environment.begin(), environment.end());
  words.insert(words.end(), {"/bin/sh", "-c", command});
  WARPMIND_TRY(const pid_t pid, plan.spawn(words, ChildSession::own));
  ShellSession session(pid);
  output.write.reset();
  errors.write.reset();
  ShellEnd end;
  WARPMIND_CHECK(read_both(output.read.get(), errors.read.get(), limits, interrupt, end));
  end.exit_code = session.wait();
  return end;
}

std::string shell_word(std::string_view text) {
  const bool is_plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
           std::string_view("_-./,=+:@%").find(c) != std::string_view::npos ||
           static_cast<unsigned char>(c) >= 0x80;
  });
  if (is_plain) return std::string(text);
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

}  // namespace warpmind::clients
