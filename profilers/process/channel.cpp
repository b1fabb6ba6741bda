#include "profilers/process/channel.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <unistd.h>

namespace warpmind::profilers {
namespace {

constexpr std::size_t kChunk = std::size_t{64} * 1024;
constexpr int kChunksPerDrain = 16;  // then the deadline and the other channels get their turn

/// A child that closed its input must not kill us: SIGPIPE is blocked for the write, and one that
/// came in meanwhile is taken away again.
ssize_t write_without_sigpipe(int fd, std::string_view bytes) {
  sigset_t pipe_only;
  sigset_t before;
  sigemptyset(&pipe_only);
  sigaddset(&pipe_only, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &pipe_only, &before);
  const ssize_t n = ::write(fd, bytes.data(), bytes.size());
  const int code = errno;
  if (n < 0 && code == EPIPE && sigismember(&before, SIGPIPE) == 0) {
    const timespec at_once{};
    ::sigtimedwait(&pipe_only, nullptr, &at_once);
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = code;
  return n;
}

}  // namespace

void Capture::add(std::string_view bytes) {
  const std::size_t room = limit - std::min(limit, text.size());
  text.append(bytes.substr(0, room));
  cut = cut || bytes.size() > room;
}

void drain(UniqueFd& fd, Capture& capture) {
  std::array<char, kChunk> chunk{};
  for (int i = 0; fd && i < kChunksPerDrain; ++i) {
    const ssize_t n = ::read(fd.get(), chunk.data(), chunk.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) {
      fd.reset();
      return;
    }
    capture.add({chunk.data(), static_cast<std::size_t>(n)});
  }
}

void feed(UniqueFd& fd, std::string_view& pending) {
  while (fd && !pending.empty()) {
    const ssize_t n = write_without_sigpipe(fd.get(), pending);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n < 0) {
      fd.reset();
      return;
    }
    pending.remove_prefix(static_cast<std::size_t>(n));
  }
}

int poll_timeout(std::optional<Deadline> deadline) {
  if (!deadline) return -1;
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(*deadline - std::chrono::steady_clock::now());
  constexpr std::int64_t kDay = std::int64_t{24} * 3600 * 1000;
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, kDay));
}

}  // namespace warpmind::profilers
