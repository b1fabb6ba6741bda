#include "clients/language_pipe.h"

#include "daemon/protocol/frame_codec.h"
#include "daemon/protocol/header_frames.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>

#include <climits>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;

/// Answers are as large as the kernels in them.
constexpr std::size_t kMostBytes = std::size_t{64} * 1024 * 1024;
/// More is not read while so much waits to be written: the other side is slower.
constexpr std::size_t kMostWaiting = std::size_t{4} * 1024 * 1024;

Error lost(const char* what) {
  return {Errc::external_failure, std::string(what) + ": " + std::strerror(errno)};
}

class LanguagePipe {
 public:
  LanguagePipe(UniqueFd daemon, EditorEnds ends) : daemon_(std::move(daemon)), ends_(ends) {}

  Result<void> run() {
    while (true) {
      if (daemon_ended_ && to_editor_.empty()) return ending();
      WARPMIND_TRY(const auto ready, wait());
      if (ready[0]) WARPMIND_CHECK(read_editor());
      if (ready[1]) WARPMIND_CHECK(read_daemon());
      if (ready[2]) WARPMIND_CHECK(write_daemon());
      if (ready[3]) WARPMIND_CHECK(write_editor());
    }
  }

 private:
  using Ready = std::array<bool, 4>;  // read editor, read daemon, write daemon, write editor

  Result<void> ending() const {
    if (editor_ended_ || exit_asked_) return {};
    return fail(Errc::external_failure,
                "the daemon closed the connection; `warpmind daemon status` says whether one runs");
  }

  Result<Ready> wait() {
    const auto watch = [](int fd, short events, bool wanted) {
      return pollfd{.fd = wanted ? fd : -1, .events = events, .revents = 0};
    };
    const int socket = daemon_.get();
    std::array<pollfd, 4> watched{
        watch(ends_.from_editor, POLLIN, !editor_ended_ && to_daemon_.size() < kMostWaiting),
        watch(socket, POLLIN, !daemon_ended_ && to_editor_.size() < kMostWaiting),
        watch(socket, POLLOUT, !daemon_ended_ && !to_daemon_.empty()),
        watch(ends_.to_editor, POLLOUT, !to_editor_.empty())};
    int count = 0;
    do {
      count = ::poll(watched.data(), watched.size(), -1);
    } while (count < 0 && errno == EINTR);
    if (count < 0) return fail(lost("poll"));
    Ready ready{};
    for (std::size_t i = 0; i < watched.size(); ++i) ready[i] = watched[i].revents != 0;
    return ready;
  }

  Result<void> read_editor() {
    const ssize_t n = ::read(ends_.from_editor, chunk_.data(), chunk_.size());
    if (n < 0) return errno == EINTR ? Result<void>() : fail(lost("reading from the editor"));
    if (n == 0) {
      editor_ended_ = true;
      if (to_daemon_.empty()) ::shutdown(daemon_.get(), SHUT_WR);
      return {};
    }
    frames_.append({chunk_.data(), static_cast<std::size_t>(n)});
    while (true) {
      WARPMIND_TRY(const auto body, frames_.next());
      if (!body) return {};
      exit_asked_ = exit_asked_ || body->find("\"exit\"") != std::string_view::npos;
      to_daemon_ += protocol::on_one_line(*body);
      to_daemon_ += '\n';
    }
  }

  Result<void> read_daemon() {
    const ssize_t n = ::recv(daemon_.get(), chunk_.data(), chunk_.size(), MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return {};
    if (n <= 0) {
      daemon_ended_ = true;
      return {};
    }
    lines_.append({chunk_.data(), static_cast<std::size_t>(n)});
    while (true) {
      WARPMIND_TRY(const auto line, lines_.next());
      if (!line) return {};
      to_editor_ += protocol::header_frame(*line);
    }
  }

  Result<void> write_daemon() {
    const ssize_t n =
        ::send(daemon_.get(), to_daemon_.data(), to_daemon_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR)) return {};
    if (n < 0) {
      daemon_ended_ = true;
      return {};
    }
    to_daemon_.erase(0, static_cast<std::size_t>(n));
    if (to_daemon_.empty() && editor_ended_) ::shutdown(daemon_.get(), SHUT_WR);
    return {};
  }

  Result<void> write_editor() {
    // So much a pipe that is ready takes without blocking.
    const std::size_t size = std::min(to_editor_.size(), std::size_t{PIPE_BUF});
    const ssize_t n = ::write(ends_.to_editor, to_editor_.data(), size);
    if (n < 0) return errno == EINTR ? Result<void>() : fail(lost("writing to the editor"));
    to_editor_.erase(0, static_cast<std::size_t>(n));
    return {};
  }

  UniqueFd daemon_;
  EditorEnds ends_;
  protocol::HeaderFrames frames_;
  protocol::LineBuffer lines_{kMostBytes};
  std::string to_daemon_;
  std::string to_editor_;
  bool editor_ended_ = false;
  bool daemon_ended_ = false;
  bool exit_asked_ = false;
  std::array<char, std::size_t{64} * 1024> chunk_{};
};

}  // namespace

Result<void> carry_language_messages(UniqueFd daemon, EditorEnds ends) {
  return LanguagePipe(std::move(daemon), ends).run();
}

}  // namespace warpmind::clients
