#include "daemon/http/http_server.h"

#include "base/log.h"
#include "base/text.h"
#include "daemon/http/reply_text.h"

#include <algorithm>
#include <cerrno>
#include <exception>
#include <set>
#include <string>
#include <sys/socket.h>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

namespace warpmind::daemon::http {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using asio::ip::tcp;
using boost::system::error_code;
constexpr auto kUseResult = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kReadBytes = std::size_t{16} * 1024;
constexpr std::size_t kLingerBytes = std::size_t{1} << 20U;
constexpr std::chrono::seconds kLingerTime{1};
constexpr std::chrono::seconds kDrainTime{2};
constexpr std::chrono::milliseconds kAcceptPause{100};

/// What to say to a request that could not be read; nullopt when nobody would hear it: one that
/// took too long is closed already.
std::optional<HttpReply> fault_of(const error_code& error) {
  namespace bh = beast::http;
  if (error == bh::error::end_of_stream || error == bh::error::partial_message) return std::nullopt;
  if (error == bh::error::header_limit || error == bh::error::buffer_overflow) {
    return plain_reply(431, "The headers are too long.");
  }
  if (error == bh::error::body_limit) return plain_reply(413, "The body is too long.");
  if (error.category() == bh::make_error_code(bh::error::bad_method).category()) {
    return plain_reply(400, "That is no request of HTTP/1.1.");
  }
  return std::nullopt;
}

class Link;

/// What links need of their server.
struct Desk {
  asio::io_context& io;
  HttpLimits limits;
  HttpServer::Screen screen = {};
  HttpServer::Serve serve = {};
  HttpServer::Watcher watcher = {};
  std::set<std::shared_ptr<Link>> links = {};
  bool closing = false;
  std::function<void()> drained = {};

  void leave(const std::shared_ptr<Link>& link) {
    links.erase(link);
    if (links.empty() && drained) std::exchange(drained, {})();
  }
};

void report(const std::exception_ptr& error) {
  if (!error) return;
  try {
    std::rethrow_exception(error);
  } catch (const std::exception& e) {
    log::error("daemon", "an HTTP connection ended with an exception", {{"what", e.what()}});
  }
}

/// One connection: request after request, each answered before the next is read.
class Link final : public std::enable_shared_from_this<Link> {
 public:
  Link(std::shared_ptr<Desk> desk, tcp::socket socket)
      : desk_(std::move(desk)),
        stream_(std::move(socket)),
        buffer_(desk_->limits.header_bytes + kReadBytes),
        wake_(desk_->io) {}

  void start() { asio::co_spawn(desk_->io, serve_link(shared_from_this()), report); }

  /// Only an answer that is at hand still goes out.
  void shut() {
    if (!serving_) return close();
    if (streaming_) return end(serial_);
    reply(serial_, plain_reply(503, "The daemon is shutting down."));
  }
  void close() {
    open_ = false;
    wake_.cancel();
    stream_.close();
  }

  // The side of the exchange; `serial` says of which request.
  [[nodiscard]] const HttpRequest& request() const { return request_; }
  void reply(std::uint64_t serial, const HttpReply& reply) {
    if (!is_answerable(serial) || streaming_) return;
    out_ += text_of(reply, desk_->closing ? After::close : After::keep);
    observe(reply.status);
    end(serial);
  }
  void open_stream(std::uint64_t serial, const std::vector<HttpHeader>& headers) {
    if (!is_answerable(serial) || streaming_) return;
    streaming_ = true;
    observe(200);
    out_ += head_of(200, "text/event-stream", headers);
    out_ += "X-Accel-Buffering: no\r\nTransfer-Encoding: chunked\r\n\r\n";
    wake_.cancel();
  }
  /// `fields`: lines of an event, each with its end.
  void send_event(std::uint64_t serial, const std::string& fields) {
    if (!is_answerable(serial) || !streaming_) return;
    if (out_.size() > desk_->limits.backlog_bytes) {
      log::warn("daemon", "an HTTP client does not read its events; dropped",
                {{"unread_bytes", out_.size()}});
      return lose();
    }
    out_ += chunk(fields + "\n");
    wake_.cancel();
  }
  void end(std::uint64_t serial) {
    if (!is_answerable(serial)) return;
    if (streaming_) out_ += "0\r\n\r\n";
    ended_ = true;
    gone_ = {};
    wake_.cancel();
  }
  void on_gone(std::uint64_t serial, std::function<void()> gone) {
    if (serial == serial_ && !ended_) gone_ = std::move(gone);
    if (!open_) lose();
  }
  [[nodiscard]] bool is_answerable(std::uint64_t serial) const {
    return serial == serial_ && serving_ && !ended_ && open_;
  }

 private:
  enum class After { keep, close };

  std::string text_of(const HttpReply& reply, After after) {
    std::string text = head_of(reply.status, reply.content_type, reply.headers);
    if (after == After::close) keep_alive_ = false;
    if (!keep_alive_) text += "Connection: close\r\n";
    if (reply.status != 204 && reply.status != 304)
      text += "Content-Length: " + std::to_string(reply.body.size()) + "\r\n";
    return text + "\r\n" + reply.body;
  }

  void observe(int status) const {
    if (!desk_->watcher) return;
    desk_->watcher(request_, status, std::chrono::steady_clock::now() - asked_);
  }

  /// The client left, or is dropped.
  void lose() {
    close();
    if (!gone_) return;
    // Posted: whoever sends an event must not be called back from it.
    asio::post(desk_->io, std::exchange(gone_, {}));
  }

  static asio::awaitable<void> serve_link(std::shared_ptr<Link> self) {
    while (self->open_ && self->keep_alive_ && !self->desk_->closing) {
      const bool is_read = co_await read_request(self);
      if (!is_read || !self->open_) break;
      self->hand_on();
      co_await write_answer(self);
      self->serving_ = false;
      error_code ignored;
      self->stream_.socket().cancel(ignored);  // the watch
    }
    self->lose();
    self->desk_->leave(self);
  }

  /// False: there is none, or it was answered here.
  static asio::awaitable<bool> read_request(std::shared_ptr<Link> self) {
    const auto& limits = self->desk_->limits;
    if (self->buffer_.size() == 0) {
      self->stream_.expires_after(self->serial_ == 0 ? limits.first_byte : limits.idle);
      const auto space = self->buffer_.prepare(kReadBytes);
      const auto [error, bytes] = co_await self->stream_.async_read_some(space, kUseResult);
      if (error) co_return false;
      self->buffer_.commit(bytes);
    }
    auto& parser = self->parser_.emplace();
    parser.header_limit(static_cast<std::uint32_t>(limits.header_bytes));
    parser.body_limit(limits.body_bytes);
    self->asked_ = std::chrono::steady_clock::now();
    self->stream_.expires_after(limits.header);
    const error_code head_error = co_await read_head(self);
    auto refusal = head_error ? fault_of(head_error) : self->judge_head();
    if (head_error && !refusal) co_return false;
    if (!refusal && !parser.is_done()) {
      const std::string go_ahead = "HTTP/1.1 100 Continue\r\n\r\n";
      if (self->wants_go_ahead()) co_await say(self, go_ahead);
      self->stream_.expires_after(limits.body);
      const auto [error, bytes] =
          co_await beast::http::async_read(self->stream_, self->buffer_, parser, kUseResult);
      if (error) refusal = fault_of(error);
      if (error && !refusal) co_return false;
    }
    if (!refusal) co_return true;
    self->observe(refusal->status);
    const std::string text = self->text_of(*refusal, After::close);
    co_await say(self, text);
    co_await linger(self);
    co_return false;
  }

  /// Counts by itself: the parser's limit starts anew with each read, so heads had no end.
  static asio::awaitable<error_code> read_head(std::shared_ptr<Link> self) {
    auto& parser = *self->parser_;
    for (std::size_t seen = 0; !parser.is_header_done();) {
      const auto [error, bytes] =
          co_await beast::http::async_read_some(self->stream_, self->buffer_, parser, kUseResult);
      if (error) co_return error;
      seen += bytes;
      if (seen > self->desk_->limits.header_bytes) co_return beast::http::error::header_limit;
    }
    co_return error_code{};
  }

  std::optional<HttpReply> judge_head() {
    const auto& message = parser_->get();
    request_ = {};
    request_.method = std::string(message.method_string());
    request_.target = std::string(message.target());
    request_.version = static_cast<int>(message.version());
    for (const auto& field : message) {
      request_.headers.push_back(
          {lower_case(std::string_view(field.name_string().data(), field.name_string().size())),
           std::string(field.value())});
    }
    keep_alive_ = message.keep_alive();
    return desk_->screen(request_);
  }

  bool wants_go_ahead() const {
    const std::string* expected = request_.find("expect");
    return expected != nullptr && lower_case(*expected) == "100-continue" && buffer_.size() == 0;
  }

  void hand_on();

  static asio::awaitable<void> say(std::shared_ptr<Link> self, std::string text) {
    self->stream_.expires_after(self->desk_->limits.write);
    const auto buffer = asio::buffer(text);
    const auto [error, bytes] = co_await asio::async_write(self->stream_, buffer, kUseResult);
    if (error) self->lose();
  }

  /// Closing with input unread would take the answer from the client's hands.
  static asio::awaitable<void> linger(std::shared_ptr<Link> self) {
    error_code error;
    self->stream_.socket().shutdown(tcp::socket::shutdown_send, error);
    self->stream_.expires_after(kLingerTime);
    self->buffer_.clear();
    for (std::size_t seen = 0; !error && self->open_ && seen < kLingerBytes;) {
      const auto space = self->buffer_.prepare(kReadBytes);
      const auto [failed, bytes] = co_await self->stream_.async_read_some(space, kUseResult);
      error = failed;
      seen += bytes;
    }
  }

  static asio::awaitable<void> write_answer(std::shared_ptr<Link> self) {
    while (self->open_) {
      if (!self->out_.empty()) {
        std::string text = std::exchange(self->out_, {});
        co_await say(self, std::move(text));
        continue;
      }
      if (self->ended_) co_return;
      self->wake_.expires_after(self->desk_->limits.heartbeat);
      const auto [cancelled] = co_await self->wake_.async_wait(kUseResult);
      if (!cancelled && self->streaming_ && self->out_.empty()) self->out_ = chunk(":\n\n");
    }
  }

  /// Notices that the client leaves while it waits. Data means that it is there.
  static asio::awaitable<void> watch(std::shared_ptr<Link> self, std::uint64_t serial) {
    const auto [error] =
        co_await self->stream_.socket().async_wait(tcp::socket::wait_read, kUseResult);
    if (error || !self->is_answerable(serial)) co_return;
    char byte = 0;
    const ssize_t n =
        ::recv(self->stream_.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (n == 0 || (n < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) self->lose();
  }

  std::shared_ptr<Desk> desk_;
  beast::tcp_stream stream_;
  beast::flat_buffer buffer_;
  asio::steady_timer wake_;  // cancelled when there is something to write
  std::optional<beast::http::request_parser<beast::http::string_body>> parser_;
  HttpRequest request_;
  std::chrono::steady_clock::time_point asked_;
  std::string out_;
  std::function<void()> gone_;
  std::uint64_t serial_ = 0;  // of the request
  bool open_ = true;
  bool keep_alive_ = true;
  bool serving_ = false;
  bool streaming_ = false;
  bool ended_ = false;
};

class LinkExchange final : public Exchange {
 public:
  LinkExchange(std::shared_ptr<Link> link, std::uint64_t serial)
      : link_(std::move(link)), serial_(serial) {}
  ~LinkExchange() override {
    if (!link_->is_answerable(serial_)) return;
    link_->reply(serial_, plain_reply(500, "The daemon has no answer."));
    link_->end(serial_);  // of a stream
  }
  LinkExchange(const LinkExchange&) = delete;
  LinkExchange& operator=(const LinkExchange&) = delete;

  [[nodiscard]] const HttpRequest& request() const override { return link_->request(); }
  void reply(HttpReply reply) override { link_->reply(serial_, reply); }
  void open_stream(std::vector<HttpHeader> headers) override {
    link_->open_stream(serial_, headers);
  }
  void send_event(std::string_view data) override {
    link_->send_event(serial_, "event: message\ndata: " + std::string(data) + "\n");
  }
  void send_numbered_event(std::string_view id, std::string_view data) override {
    link_->send_event(serial_, "id: " + std::string(id) + "\ndata: " + std::string(data) + "\n");
  }
  void end_stream() override { link_->end(serial_); }
  void on_gone(std::function<void()> gone) override { link_->on_gone(serial_, std::move(gone)); }

 private:
  std::shared_ptr<Link> link_;
  std::uint64_t serial_;
};

void Link::hand_on() {
  request_.body = std::move(parser_->get().body());
  parser_.reset();
  ++serial_;
  serving_ = true;
  streaming_ = false;
  ended_ = false;
  asio::co_spawn(desk_->io, watch(shared_from_this(), serial_), report);
  desk_->serve(std::make_shared<LinkExchange>(shared_from_this(), serial_));
}

}  // namespace

/// Shared with its coroutines, which may outlive the server by one turn of the io context.
class HttpServer::State final : public std::enable_shared_from_this<State> {
 public:
  State(asio::io_context& io, const HttpLimits& limits)
      : desk_(std::make_shared<Desk>(Desk{io, limits})), acceptor_(io), pause_(io) {}

  Result<void> listen(std::uint16_t port) {
    const tcp::endpoint here(asio::ip::address_v4::loopback(), port);
    error_code error;
    acceptor_.open(here.protocol(), error);
    if (!error) acceptor_.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor_.bind(here, error);
    if (!error) acceptor_.listen(asio::socket_base::max_listen_connections, error);
    if (!error) return {};
    const bool taken = error == asio::error::address_in_use;
    return fail(taken ? Errc::conflict : Errc::external_failure,
                "cannot listen on 127.0.0.1:" + std::to_string(port) + " (http.listen): " +
                    error.message() + (taken ? "; take another port, or 0 for any" : ""));
  }

  void start(Screen screen, Serve serve, Watcher watcher) {
    desk_->screen = std::move(screen);
    desk_->serve = std::move(serve);
    desk_->watcher = std::move(watcher);
    asio::co_spawn(desk_->io, accept_loop(shared_from_this()), report);
  }

  void stop_accepting() {
    error_code ignored;
    acceptor_.close(ignored);
    pause_.cancel();
  }

  void drain(std::function<void()> done) {
    stop_accepting();
    desk_->closing = true;
    if (desk_->links.empty()) return done();
    desk_->drained = std::move(done);
    const auto links = desk_->links;
    for (const auto& link : links) link->shut();
    asio::co_spawn(desk_->io, drain_deadline(shared_from_this()), report);
  }

  /// Nothing is handed on any more.
  void abandon() {
    stop_accepting();
    desk_->closing = true;
    desk_->drained = {};
    const auto links = std::exchange(desk_->links, {});  // they hold the desk
    for (const auto& link : links) link->close();
  }

  [[nodiscard]] std::uint16_t port() const {
    error_code ignored;
    return acceptor_.local_endpoint(ignored).port();
  }
  [[nodiscard]] std::size_t count() const { return desk_->links.size(); }

 private:
  static asio::awaitable<void> accept_loop(std::shared_ptr<State> self) {
    while (self->acceptor_.is_open()) {
      auto [error, socket] = co_await self->acceptor_.async_accept(kUseResult);
      if (!self->acceptor_.is_open()) break;
      if (!error) {
        self->admit(std::move(socket));
        continue;
      }
      log::warn("daemon", "cannot accept an HTTP client", {{"why", error.message()}});
      self->pause_.expires_after(kAcceptPause);
      (void)co_await self->pause_.async_wait(kUseResult);
    }
  }

  void admit(tcp::socket socket) {
    if (desk_->links.size() >= desk_->limits.connections) {
      static constexpr std::string_view kFull =
          "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
      (void)!::send(socket.native_handle(), kFull.data(), kFull.size(),
                    MSG_NOSIGNAL | MSG_DONTWAIT);
      return;
    }
    auto link = std::make_shared<Link>(desk_, std::move(socket));
    desk_->links.insert(link);
    link->start();
  }

  static asio::awaitable<void> drain_deadline(std::shared_ptr<State> self) {
    self->pause_.expires_after(kDrainTime);
    const auto [error] = co_await self->pause_.async_wait(kUseResult);
    if (error) co_return;
    const auto links = self->desk_->links;
    for (const auto& link : links) link->close();
  }

  std::shared_ptr<Desk> desk_;
  tcp::acceptor acceptor_;
  asio::steady_timer pause_;
};

Result<std::unique_ptr<HttpServer>> HttpServer::listen(asio::io_context& io, std::uint16_t port,
                                                       const HttpLimits& limits) {
  auto state = std::make_shared<State>(io, limits);
  WARPMIND_CHECK(state->listen(port));
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(state)));
}

HttpServer::~HttpServer() { state_->abandon(); }

std::uint16_t HttpServer::port() const { return state_->port(); }
void HttpServer::start(Screen screen, Serve serve, Watcher watcher) {
  state_->start(std::move(screen), std::move(serve), std::move(watcher));
}
void HttpServer::stop_accepting() { state_->stop_accepting(); }
void HttpServer::drain(std::function<void()> done) { state_->drain(std::move(done)); }
std::size_t HttpServer::count() const { return state_->count(); }

}  // namespace warpmind::daemon::http
