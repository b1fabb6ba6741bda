#include "daemon/transport/session.h"

#include "base/log.h"
#include "daemon/protocol/envelope.h"
#include "daemon/protocol/frame_codec.h"

#include <array>
#include <cerrno>
#include <exception>
#include <string>
#include <sys/socket.h>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace warpmind::daemon {
namespace {

namespace asio = boost::asio;
using Socket = asio::local::stream_protocol::socket;
constexpr auto kUseResult = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kReadBytes = std::size_t{16} * 1024;

class SocketSession final : public Session, public std::enable_shared_from_this<SocketSession> {
 public:
  SocketSession(asio::io_context& io, Socket socket, ConnectionId id, const SessionLimits& limits,
                ConnectionEvents& events)
      : io_(io),
        socket_(std::move(socket)),
        id_(id),
        limits_(limits),
        events_(events),
        input_(limits.message_bytes),
        last_active_(std::chrono::steady_clock::now()) {}

  void start() { spawn(read_loop(shared_from_this())); }

  void send(std::string_view line) override {
    if (!open_) return;
    if (output_.size() - sent_ > limits_.backlog_bytes) {
      log::warn("daemon", "a client does not read its answers; dropped",
                {{"connection", id_}, {"unread_bytes", output_.size() - sent_}});
      close();
      return;
    }
    output_ += line;
    if (!in_batch_) flush();
  }

  void close_after_flush() override {
    if (!open_) return;
    if (!closing_) closing_since_ = std::chrono::steady_clock::now();
    closing_ = true;
    if (!in_batch_) flush();
  }

  void close() override {
    if (!open_) return;
    open_ = false;
    boost::system::error_code ignored;
    socket_.close(ignored);
    // Posted: the caller may be walking a table that on_closed() changes.
    asio::post(io_, [self = shared_from_this()] { self->events_.on_closed(self->id_); });
  }

  void enforce_deadlines(std::chrono::steady_clock::time_point now) override {
    if (!open_) return;
    if (closing_ && now - closing_since_ > limits_.half_message) return close();
    if (closing_) return;
    if (input_.pending() > 0 && now - line_since_ > limits_.half_message) {
      return refuse(protocol::kInvalidRequest, "the message was not finished in time");
    }
    if (!input_ended_ && now - last_active_ > limits_.idle && !events_.is_waiting(id_)) {
      log::debug("daemon", "idle connection closed", {{"connection", id_}});
      close_after_flush();
    }
  }

 private:
  void spawn(asio::awaitable<void> coroutine) {
    auto report = [id = id_](const std::exception_ptr& error) {
      if (!error) return;
      try {
        std::rethrow_exception(error);
      } catch (const std::exception& e) {
        log::error("daemon", "a connection ended with an exception",
                   {{"connection", id}, {"what", e.what()}});
      }
    };
    asio::co_spawn(io_, std::move(coroutine), std::move(report));
  }

  static asio::awaitable<void> read_loop(std::shared_ptr<SocketSession> self) {
    std::array<char, kReadBytes> chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    while (self->open_) {
      const auto buffer = asio::buffer(chunk);
      const auto [error, bytes] = co_await self->socket_.async_read_some(buffer, kUseResult);
      if (error == asio::error::eof) {
        self->input_ended_ = true;
        self->events_.on_input_ended(self->id_);
        co_return;
      }
      if (error) break;
      self->take({chunk.data(), bytes});
    }
    self->close();
  }

  void take(std::string_view bytes) {
    if (closing_) return;  // what comes after a fatal error is not read
    last_active_ = std::chrono::steady_clock::now();
    if (input_.pending() == 0) line_since_ = last_active_;
    input_.append(bytes);
    in_batch_ = true;  // answers to pipelined requests leave in one write
    while (open_ && !closing_) {
      const auto line = input_.next();
      if (!line) {
        refuse(protocol::kMessageTooLarge, line.error().message);
        break;
      }
      if (!*line) break;
      if (!(*line)->empty()) events_.on_line(id_, **line);
      line_since_ = last_active_;
    }
    in_batch_ = false;
    flush();
  }

  void refuse(std::int64_t code, const std::string& why) {
    send(protocol::make_error({}, {code, why + "; the connection is closed", ""}));
    close_after_flush();
  }

  /// Writes what the socket takes now; the rest waits for write_loop().
  void flush() {
    while (open_ && sent_ < output_.size()) {
      const ssize_t n = ::send(socket_.native_handle(), output_.data() + sent_,
                               output_.size() - sent_, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
      if (n < 0) return close();
      sent_ += static_cast<std::size_t>(n);
    }
    if (!open_) return;
    if (sent_ == output_.size()) {
      output_.clear();
      if (output_.capacity() > std::size_t{1024} * 1024) output_.shrink_to_fit();
      sent_ = 0;
      if (closing_) close();
      return;
    }
    if (sent_ > output_.size() / 2) {
      output_.erase(0, sent_);
      sent_ = 0;
    }
    if (!writing_) {
      writing_ = true;
      spawn(write_loop(shared_from_this()));
    }
  }

  static asio::awaitable<void> write_loop(std::shared_ptr<SocketSession> self) {
    while (self->open_ && !self->output_.empty()) {
      const auto [error] = co_await self->socket_.async_wait(Socket::wait_write, kUseResult);
      if (error) break;
      self->flush();
    }
    self->writing_ = false;
  }

  asio::io_context& io_;
  Socket socket_;
  ConnectionId id_;
  SessionLimits limits_;
  ConnectionEvents& events_;
  protocol::LineBuffer input_;
  std::string output_;
  std::size_t sent_ = 0;  // of output_
  bool open_ = true;
  bool closing_ = false;  // close when output_ is sent
  bool input_ended_ = false;
  bool in_batch_ = false;
  bool writing_ = false;  // write_loop() runs
  std::chrono::steady_clock::time_point last_active_;
  std::chrono::steady_clock::time_point line_since_;
  std::chrono::steady_clock::time_point closing_since_;
};

}  // namespace

std::shared_ptr<Session> start_session(asio::io_context& io, UniqueFd socket, ConnectionId id,
                                       const SessionLimits& limits, ConnectionEvents& events) {
  Socket stream(io);
  boost::system::error_code error;
  stream.assign(asio::local::stream_protocol(), socket.get(), error);
  if (error) return nullptr;
  (void)socket.release();
  auto session = std::make_shared<SocketSession>(io, std::move(stream), id, limits, events);
  session->start();
  return session;
}

}  // namespace warpmind::daemon
