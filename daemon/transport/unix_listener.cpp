#include "daemon/transport/unix_listener.h"

#include "base/log.h"
#include "daemon/protocol/envelope.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <sys/socket.h>
#include <unordered_map>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace warpmind::daemon {
namespace {

namespace asio = boost::asio;
constexpr auto kUseResult = asio::as_tuple(asio::use_awaitable);
constexpr std::chrono::seconds kDrainTime{2};
constexpr std::chrono::milliseconds kAcceptPause{100};

void report(std::string_view what, const std::exception_ptr& error) {
  if (!error) return;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    log::error("daemon", what, {{"what", e.what()}});
  }
}

}  // namespace

/// Shared with its coroutines, which may outlive the listener by one turn of the io context.
class UnixListener::State final : public ConnectionEvents,
                                  public std::enable_shared_from_this<State> {
 public:
  State(asio::io_context& io, ListeningSocket socket, PeerCheck peers, ListenerSettings settings)
      : io_(io),
        socket_(std::move(socket)),
        readable_(io),
        sweep_(io),
        pause_(io),
        peers_(peers),
        settings_(std::move(settings)) {}

  void start(ConnectionEvents& events) {
    events_ = &events;
    // The descriptor stays owned by socket_, which also owns the file.
    readable_.assign(socket_.fd());
    auto on_accept_end = [](const std::exception_ptr& error) { report("accept loop", error); };
    asio::co_spawn(io_, accept_loop(shared_from_this()), std::move(on_accept_end));
    auto on_sweep_end = [](const std::exception_ptr& error) { report("sweep loop", error); };
    asio::co_spawn(io_, sweep_loop(shared_from_this()), std::move(on_sweep_end));
  }

  void stop_accepting() {
    if (!accepting_) return;
    accepting_ = false;
    (void)readable_.release();
    pause_.cancel();
    socket_.close();
  }

  void drain(std::function<void()> done) {
    drained_ = std::move(done);
    for (const auto& [id, session] : sessions_) session->close_after_flush();
    finish_drain_if_empty();
    sweep_.cancel();
    auto on_end = [](const std::exception_ptr& error) { report("drain", error); };
    asio::co_spawn(io_, drain_deadline(shared_from_this()), std::move(on_end));
  }

  void send(ConnectionId id, std::string_view line) {
    if (const auto found = sessions_.find(id); found != sessions_.end()) found->second->send(line);
  }
  void close_after_flush(ConnectionId id) {
    if (const auto found = sessions_.find(id); found != sessions_.end()) {
      found->second->close_after_flush();
    }
  }
  [[nodiscard]] std::size_t count() const { return sessions_.size(); }

  void on_line(ConnectionId id, std::string_view line) override { events_->on_line(id, line); }
  void on_input_ended(ConnectionId id) override { events_->on_input_ended(id); }
  void on_closed(ConnectionId id) override {
    sessions_.erase(id);
    events_->on_closed(id);
    finish_drain_if_empty();
  }
  [[nodiscard]] bool is_waiting(ConnectionId id) const override { return events_->is_waiting(id); }

 private:
  static asio::awaitable<void> accept_loop(std::shared_ptr<State> self) {
    while (self->accepting_) {
      const auto [error] =
          co_await self->readable_.async_wait(asio::posix::descriptor_base::wait_read, kUseResult);
      if (error || !self->accepting_) break;
      if (self->accept_pending()) continue;
      self->pause_.expires_after(kAcceptPause);
      (void)co_await self->pause_.async_wait(kUseResult);
    }
  }

  /// False when the process is out of descriptors: then waiting is all that helps.
  bool accept_pending() {
    while (true) {
      UniqueFd client(::accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
      if (client) {
        admit(std::move(client));
        continue;
      }
      if (errno == EINTR || errno == ECONNABORTED) continue;
      if (errno == EAGAIN || errno == EWOULDBLOCK) return true;
      log::warn("daemon", "cannot accept a client; raise the limit of open files (ulimit -n)",
                {{"errno", errno}});
      return false;
    }
  }

  void admit(UniqueFd client) {
    if (auto admitted = peers_.admit(client.get()); !admitted) {
      log::warn("daemon", "client refused", {{"why", admitted.error().message}});
      return refuse(client, protocol::kForbiddenPeer, admitted.error().message);
    }
    if (sessions_.size() >= settings_.connections) {
      return refuse(client, protocol::kTooManyConnections,
                    "the daemon already serves " + std::to_string(settings_.connections) +
                        " clients; close some, or raise daemon.connections");
    }
    const ConnectionId id = ++last_id_;
    auto session = start_session(io_, std::move(client), id, settings_.session, *this);
    if (!session) return;
    session->send(settings_.greeting);
    sessions_.emplace(id, std::move(session));
  }

  static void refuse(const UniqueFd& client, std::int64_t code, const std::string& why) {
    const std::string line = protocol::make_error({}, {code, why, ""});
    // A fresh socket has room for one line; a client that is already gone is none of our business.
    (void)!::send(client.get(), line.data(), line.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  }

  static asio::awaitable<void> sweep_loop(std::shared_ptr<State> self) {
    const auto interval =
        std::clamp(std::min(self->settings_.session.half_message, self->settings_.session.idle) / 4,
                   std::chrono::milliseconds(10), std::chrono::milliseconds(5000));
    while (!self->drained_) {
      self->sweep_.expires_after(interval);
      const auto [error] = co_await self->sweep_.async_wait(kUseResult);
      if (error) break;
      const auto now = std::chrono::steady_clock::now();
      for (const auto& [id, session] : self->sessions_) session->enforce_deadlines(now);
    }
  }

  static asio::awaitable<void> drain_deadline(std::shared_ptr<State> self) {
    self->pause_.expires_after(kDrainTime);
    const auto [error] = co_await self->pause_.async_wait(kUseResult);
    if (error) co_return;
    for (const auto& [id, session] : self->sessions_) session->close();
  }

  void finish_drain_if_empty() {
    if (!drained_ || !sessions_.empty() || drain_reported_) return;
    drain_reported_ = true;
    pause_.cancel();
    drained_();
  }

  asio::io_context& io_;
  ListeningSocket socket_;
  asio::posix::stream_descriptor readable_;
  asio::steady_timer sweep_;
  asio::steady_timer pause_;
  PeerCheck peers_;
  ListenerSettings settings_;
  ConnectionEvents* events_ = nullptr;
  std::unordered_map<ConnectionId, std::shared_ptr<Session>> sessions_;
  ConnectionId last_id_ = 0;
  bool accepting_ = true;
  bool drain_reported_ = false;
  std::function<void()> drained_;
};

UnixListener::UnixListener(asio::io_context& io, ListeningSocket socket, PeerCheck peers,
                           ListenerSettings settings)
    : state_(std::make_shared<State>(io, std::move(socket), peers, std::move(settings))) {}
UnixListener::~UnixListener() { state_->stop_accepting(); }

void UnixListener::start(ConnectionEvents& events) { state_->start(events); }
void UnixListener::stop_accepting() { state_->stop_accepting(); }
void UnixListener::drain(std::function<void()> done) { state_->drain(std::move(done)); }
void UnixListener::send(ConnectionId id, std::string_view line) { state_->send(id, line); }
void UnixListener::close_after_flush(ConnectionId id) { state_->close_after_flush(id); }
std::size_t UnixListener::count() const { return state_->count(); }

}  // namespace warpmind::daemon
