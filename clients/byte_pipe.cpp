#include "clients/byte_pipe.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

#include <climits>

namespace warpmind::clients {
namespace {

constexpr std::size_t kBufferBytes = std::size_t{64} * 1024;
constexpr int kParentCheckMs = 2000;

Error pipe_error(const char* what) {
  return {Errc::external_failure, std::string(what) + ": " + std::strerror(errno)};
}

bool is_temporary(int error) { return error == EINTR || error == EAGAIN || error == EWOULDBLOCK; }

/// One direction.
struct Flow {
  int from;
  int to;
  std::vector<char> bytes = std::vector<char>(kBufferBytes);
  std::size_t begin = 0;
  std::size_t end = 0;
  bool source_ended = false;
  bool sink_gone = false;

  [[nodiscard]] bool is_empty() const { return begin == end; }
  [[nodiscard]] bool wants_more() const { return is_empty() && !source_ended && !sink_gone; }

  Result<void> fill() {
    const ssize_t n = ::read(from, bytes.data(), bytes.size());
    if (n < 0 && is_temporary(errno)) return {};
    // A connection that was reset has ended like any other.
    if (n < 0 && errno != ECONNRESET) return fail(pipe_error("reading"));
    begin = 0;
    end = n > 0 ? static_cast<std::size_t>(n) : 0;
    source_ended = n <= 0;
    return {};
  }

  /// Never waits: while this direction waited, the other would stand still.
  Result<void> drain() {
    const char* const data = bytes.data() + begin;
    ssize_t n = ::send(to, data, end - begin, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (n < 0 && errno == ENOTSOCK) {
      // A pipe that poll() calls writable takes so much at once.
      n = ::write(to, data, std::min<std::size_t>(end - begin, PIPE_BUF));
    }
    if (n < 0 && is_temporary(errno)) return {};
    if (n < 0 && (errno == EPIPE || errno == ECONNRESET)) {
      sink_gone = true;
      begin = end = 0;
      return {};
    }
    if (n < 0) return fail(pipe_error("writing"));
    begin += static_cast<std::size_t>(n);
    return {};
  }
};

/// What poll() waits for in one direction: its source, or with bytes in hand its sink.
pollfd watched(const Flow& flow) {
  if (flow.wants_more()) return {.fd = flow.from, .events = POLLIN, .revents = 0};
  if (!flow.is_empty()) return {.fd = flow.to, .events = POLLOUT, .revents = 0};
  return {.fd = -1, .events = 0, .revents = 0};
}

Result<void> move_bytes(Flow& flow, const pollfd& state) {
  if (state.fd < 0 || state.revents == 0) return {};
  return flow.is_empty() ? flow.fill() : flow.drain();
}

}  // namespace

Result<void> carry_bytes(UniqueFd connection, const PipeEnds& ends) {
  Flow upward{.from = ends.in, .to = connection.get()};
  Flow downward{.from = connection.get(), .to = ends.out};
  bool end_was_passed_on = false;
  while (!downward.sink_gone && !(downward.source_ended && downward.is_empty())) {
    if (ends.parent != 0 && ::getppid() != ends.parent) return {};
    if (upward.source_ended && upward.is_empty() && !end_was_passed_on) {
      (void)::shutdown(connection.get(), SHUT_WR);
      end_was_passed_on = true;
    }
    std::array<pollfd, 2> states{watched(upward), watched(downward)};
    if (::poll(states.data(), states.size(), ends.parent == 0 ? -1 : kParentCheckMs) < 0 &&
        errno != EINTR) {
      return fail(pipe_error("poll"));
    }
    WARPMIND_CHECK(move_bytes(upward, states[0]));
    WARPMIND_CHECK(move_bytes(downward, states[1]));
  }
  return {};
}

}  // namespace warpmind::clients
