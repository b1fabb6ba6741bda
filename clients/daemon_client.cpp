#include "clients/daemon_client.h"

#include "base/codec/json_guard.h"
#include "daemon/protocol/message_codec.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <utility>

#include <climits>

namespace warpmind::clients {
namespace {

namespace protocol = daemon::protocol;
using protocol::Message;
using protocol::MessageKind;

/// A result carries every kernel of an episode; this is far above the largest.
constexpr std::size_t kReplyBytes = std::size_t{64} * 1024 * 1024;

bool is_final(JobState state) {
  return state == JobState::done || state == JobState::failed || state == JobState::cancelled;
}

Result<UniqueFd> open_socket(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string& text = path.native();
  if (text.empty() || text.size() >= sizeof(address.sun_path)) {
    return fail(Errc::invalid_argument,
                "the socket path " + text + " has " + std::to_string(text.size()) +
                    " bytes and must have 1 to " + std::to_string(sizeof(address.sun_path) - 1) +
                    "; set daemon.socket to a shorter one");
  }
  std::memcpy(static_cast<char*>(address.sun_path), text.data(), text.size());
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!fd) return fail(Errc::external_failure, std::string("socket: ") + std::strerror(errno));
  int rc = 0;
  do {
    // The socket API wants the general address type; the cast is the documented way.
    rc = ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
  } while (rc != 0 && errno == EINTR);
  if (rc == 0) return fd;
  const int code = errno;
  if (code == ENOENT || code == ECONNREFUSED || code == ENOTDIR) {
    return fail(Errc::not_found, "no daemon listens at " + text);
  }
  return fail(Errc::external_failure, "cannot connect to " + text + ": " + std::strerror(code));
}

/// Kernels and what is known of them are told to nobody but a daemon of this user, or of root.
Result<void> check_listener(const UniqueFd& fd, const std::filesystem::path& path) {
  struct ucred peer {};
  socklen_t length = sizeof(peer);
  if (::getsockopt(fd.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) {
    return fail(Errc::external_failure, "the kernel does not say who listens at " + path.string());
  }
  if (peer.uid == ::geteuid() || peer.uid == 0) return {};
  return fail(Errc::conflict, "another user (id " + std::to_string(peer.uid) + ") listens at " +
                                  path.string() + "; set daemon.socket to a path of your own");
}

/// Milliseconds until `until`, as poll() takes them.
template <class TimePoint>
int poll_timeout(TimePoint until, TimePoint now) {
  if (until == TimePoint::max()) return -1;
  const auto left = std::chrono::ceil<Milliseconds>(until - now).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, INT_MAX));
}

/// The methods on a job take nothing but its id, and refuse what they do not know.

}  // namespace

DaemonClient::DaemonClient(UniqueFd socket) : socket_(std::move(socket)), lines_(kReplyBytes) {}

DaemonClient::Clock::time_point DaemonClient::deadline_after(Milliseconds timeout) {
  return timeout == kNoTimeout ? Clock::time_point::max() : Clock::now() + timeout;
}

tl::unexpected<Error> DaemonClient::drop(Errc code, std::string why) {
  socket_.reset();
  return fail(code, std::move(why));
}

Result<DaemonClient> DaemonClient::connect(const std::filesystem::path& socket,
                                           Milliseconds timeout) {
  WARPMIND_TRY(UniqueFd fd, open_socket(socket));
  WARPMIND_CHECK(check_listener(fd, socket));
  DaemonClient client(std::move(fd));
  auto greeted = client.read_greeting(Clock::now() + timeout);
  if (!greeted) return fail(std::move(greeted).error());
  return client;
}

Result<void> DaemonClient::read_greeting(Clock::time_point deadline) {
  auto message = next_message(deadline);
  if (!message) return fail(std::move(message).error());
  if (message->kind == MessageKind::response && message->error) {
    Error refusal = protocol::from_wire(*message->error);
    return drop(refusal.code, std::move(refusal.message));
  }
  if (message->kind != MessageKind::notification || message->method != "greeting") {
    return drop(Errc::corrupt_data,
                "what listens at the socket is not warpmindd: it did not send a greeting; check "
                "daemon.socket");
  }
  auto greeting = protocol::decode<protocol::Greeting>(message->params);
  if (!greeting) return drop(greeting.error().code, greeting.error().message);
  greeting_ = std::move(greeting).value();
  if (greeting_.protocol != protocol::kProtocolVersion) {
    return drop(Errc::conflict, "the daemon (pid " + std::to_string(greeting_.pid) + ", version " +
                                    greeting_.version + ") speaks protocol " +
                                    std::to_string(greeting_.protocol) + " and this client " +
                                    std::to_string(protocol::kProtocolVersion) +
                                    "; end it with `kill " + std::to_string(greeting_.pid) +
                                    "` and use client and daemon of one version");
  }
  return {};
}

Result<void> DaemonClient::wait_for(short events, Clock::time_point deadline) {
  while (true) {
    const auto now = Clock::now();
    if (now >= tell_at_) {
      tell_at_ = Clock::time_point::max();
      tell_();
    }
    if (now >= tick_at_) {
      tick_at_ = now + period_;
      tick_();
    }
    if (now >= deadline) {
      return drop(Errc::timeout,
                  "the daemon did not answer in time; `warpmind doctor` looks for "
                  "the cause, its log is in the state directory");
    }
    std::array<pollfd, 2> watched{{{.fd = socket_.get(), .events = events, .revents = 0},
                                   {.fd = interrupt_, .events = POLLIN, .revents = 0}}};
    const auto until = std::min({deadline, tell_at_, tick_at_});
    const int ready = ::poll(watched.data(), watched.size(), poll_timeout(until, now));
    if (ready < 0 && errno != EINTR) {
      return drop(Errc::external_failure, std::string("poll: ") + std::strerror(errno));
    }
    if (ready <= 0) continue;
    if (watched[1].revents != 0) return fail(Errc::cancelled, "interrupted");
    if (watched[0].revents != 0) return {};
  }
}

Result<void> DaemonClient::send(std::string_view bytes, Clock::time_point deadline) {
  while (!bytes.empty()) {
    const ssize_t n =
        ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(n));
    } else if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
      auto writable = wait_for(POLLOUT, deadline);
      if (!writable) {
        // Half a request is on its way: nothing sensible can follow on this connection.
        socket_.reset();
        return writable;
      }
    } else if (n < 0 && errno != EINTR) {
      return drop(Errc::external_failure,
                  std::string("the connection to the daemon is lost: ") + std::strerror(errno));
    }
  }
  return {};
}

Result<void> DaemonClient::read_some() {
  // recv fills it: NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
  std::array<char, std::size_t{64} * 1024> chunk;
  const ssize_t n = ::recv(socket_.get(), chunk.data(), chunk.size(), MSG_DONTWAIT);
  if (n > 0) {
    lines_.append({chunk.data(), static_cast<std::size_t>(n)});
    return {};
  }
  if (n == 0) return drop(Errc::external_failure, "the daemon closed the connection");
  if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {};
  return drop(Errc::external_failure,
              std::string("the connection to the daemon is lost: ") + std::strerror(errno));
}

Result<Message> DaemonClient::next_message(Clock::time_point deadline) {
  if (!connected()) {
    return fail(Errc::external_failure, "the connection to the daemon is closed");
  }
  while (true) {
    auto line = lines_.next();
    if (!line) return drop(Errc::corrupt_data, "the daemon sent an endless line; update warpmind");
    if (line->has_value()) {
      Message message = protocol::parse_message(**line);
      if (message.kind != MessageKind::invalid) return message;
      return drop(Errc::corrupt_data,
                  "what listens at the socket is not warpmindd: it sent something that is not "
                  "JSON-RPC; check daemon.socket");
    }
    WARPMIND_CHECK(wait_for(POLLIN, deadline));
    WARPMIND_CHECK(read_some());
  }
}

void DaemonClient::take_notification(const Message& message) {
  if (message.method != "task.progress") return;  // newer daemons may tell more
  const auto progress = protocol::decode<protocol::ProgressParams>(message.params);
  if (!progress) return;
  if (is_final(progress->state)) ended_[progress->job_id] = progress->state;
  if (handler_) handler_(*progress);
}

Result<protocol::Document> DaemonClient::call(std::string_view method, std::string_view params,
                                              Milliseconds timeout) {
  if (!connected()) {
    return fail(Errc::external_failure, "the connection to the daemon is closed");
  }
  const auto deadline = deadline_after(timeout);
  tell_at_ = tell_ ? deadline_after(patience_) : Clock::time_point::max();
  const protocol::RequestId id = ++last_id_;
  WARPMIND_CHECK(send(protocol::make_request(id, method, params), deadline));
  while (true) {
    WARPMIND_TRY(Message message, next_message(deadline));
    if (message.kind == MessageKind::notification) take_notification(message);
    if (message.kind != MessageKind::response) continue;
    // An error without an id answers a request that the daemon could not read: ours.
    const bool unnamed = std::holds_alternative<std::monostate>(message.id) && message.error;
    if (message.id != id && !unnamed) continue;  // late answer to a call that was interrupted
    if (message.error) return fail(protocol::from_wire(*message.error));
    return std::move(message.result);
  }
}

Result<protocol::StatusResult> DaemonClient::status() { return call(protocol::kStatus, {}); }

Result<protocol::TaskValidateResult> DaemonClient::validate(
    const std::filesystem::path& directory) {
  return call(protocol::kTaskValidate, {directory.string()});
}

Result<protocol::TaskSubmitResult> DaemonClient::submit(const protocol::TaskSubmitParams& params) {
  return call(protocol::kTaskSubmit, params);
}

Result<protocol::TaskStatusResult> DaemonClient::job_status(const std::string& job_id, bool watch) {
  auto answer = call(protocol::kTaskStatus, {job_id, watch});
  if (answer && is_final(answer->state)) ended_[job_id] = answer->state;
  return answer;
}

Result<protocol::TaskCancelResult> DaemonClient::cancel(const std::string& job_id) {
  return call(protocol::kTaskCancel, {job_id});
}

Result<protocol::TaskResultResult> DaemonClient::result(const std::string& job_id) {
  return call(protocol::kTaskResult, {job_id});
}

Result<void> DaemonClient::shutdown(protocol::ShutdownMode mode) {
  WARPMIND_CHECK(call(protocol::kShutdown, {mode}));
  return {};
}

Result<JobState> DaemonClient::wait_for_end(const std::string& job_id, Milliseconds timeout) {
  tick_at_ = tick_ ? deadline_after(period_) : Clock::time_point::max();
  auto end = next_end(job_id, deadline_after(timeout));
  tick_at_ = Clock::time_point::max();
  return end;
}

Result<JobState> DaemonClient::next_end(const std::string& job_id, Clock::time_point deadline) {
  while (true) {
    if (const auto found = ended_.find(job_id); found != ended_.end()) return found->second;
    WARPMIND_TRY(const Message message, next_message(deadline));
    if (message.kind == MessageKind::notification) take_notification(message);
  }
}

Result<void> DaemonClient::wait_for_close(Milliseconds timeout) {
  const auto deadline = deadline_after(timeout);
  while (true) {
    const auto message = next_message(deadline);
    if (message) continue;
    if (connected() || message.error().code == Errc::timeout) return fail(message.error());
    return {};
  }
}

}  // namespace warpmind::clients
