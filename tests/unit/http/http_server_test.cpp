#include "daemon/http/http_server.h"

#include "base/file.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <future>
#include <netinet/in.h>
#include <sys/socket.h>
#include <thread>
#include <vector>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <gtest/gtest.h>

namespace warpmind::daemon::http {
namespace {

namespace asio = boost::asio;

/// Reached only when something is broken.
constexpr timeval kPatience{30, 0};

class HttpServerTest : public testing::Test {
 protected:
  ~HttpServerTest() override {
    if (!server_) return;
    asio::post(io_, [this] { server_->drain([this] { io_.stop(); }); });
    thread_.join();
  }

  /// Serves `serve` on a thread of its own.
  void start(
      const HttpLimits& limits, HttpServer::Serve serve,
      HttpServer::Screen screen = [](const auto&) { return std::nullopt; }) {
    auto server = HttpServer::listen(io_, 0, limits);
    ASSERT_TRUE(server.has_value());
    server_ = std::move(*server);
    port_ = server_->port();
    server_->start(std::move(screen), std::move(serve));
    thread_ = std::jthread([this] {
      const auto work = asio::make_work_guard(io_);
      io_.run();
    });
  }
  UniqueFd connect() const {
    UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port_);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)), 0);
    ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &kPatience, sizeof(kPatience));
    return fd;
  }
  static void say(const UniqueFd& fd, std::string_view text) {
    while (!text.empty()) {
      const ssize_t n = ::send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL);
      if (n <= 0) return;  // the server closed: what it said before is still to be read
      text.remove_prefix(static_cast<std::size_t>(n));
    }
  }
  /// Everything until the server closes; "timeout" when it does not.
  static std::string hear_all(const UniqueFd& fd) {
    std::string all;
    std::array<char, 65536> chunk{};
    while (true) {
      const ssize_t n = ::recv(fd.get(), chunk.data(), chunk.size(), 0);
      if (n == 0 || (n < 0 && errno == ECONNRESET)) return all;
      if (n < 0) return all + "timeout";
      all.append(chunk.data(), static_cast<std::size_t>(n));
    }
  }
  /// Until `part` has come.
  static std::string hear(const UniqueFd& fd, std::string_view part) {
    std::string all;
    std::array<char, 65536> chunk{};
    while (all.find(part) == std::string::npos) {
      const ssize_t n = ::recv(fd.get(), chunk.data(), chunk.size(), 0);
      if (n <= 0) return all + "(ended)";
      all.append(chunk.data(), static_cast<std::size_t>(n));
    }
    return all;
  }
  static std::string post(std::string_view body, std::string_view more = "") {
    return "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n" +
           std::string(more) + "\r\n" + std::string(body);
  }
  static void echo(const std::shared_ptr<Exchange>& exchange) {
    exchange->reply({200, "text/plain", {}, exchange->request().body});
  }

  asio::io_context io_{1};
  std::unique_ptr<HttpServer> server_;
  std::uint16_t port_ = 0;
  std::vector<std::shared_ptr<Exchange>> kept_;  // io thread's
  std::promise<void> asked_;
  std::promise<void> gone_;
  std::jthread thread_;
};

std::size_t count(const std::string& text, std::string_view part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
  return n;
}

TEST_F(HttpServerTest, RequestsOfOneConnectionAreAnsweredInOrder) {
  start({}, echo);
  const auto fd = connect();
  say(fd, post("one") + post("two") + post("three", "Connection: close\r\n"));
  const std::string all = hear_all(fd);
  EXPECT_EQ(count(all, "HTTP/1.1 200 OK"), 3U);
  EXPECT_LT(all.find("\r\n\r\none"), all.find("\r\n\r\ntwo"));
  EXPECT_LT(all.find("\r\n\r\ntwo"), all.find("\r\n\r\nthree"));
  EXPECT_EQ(count(all, "Connection: close"), 1U);
  EXPECT_EQ(count(all, "Cache-Control: no-store"), 3U);
  EXPECT_EQ(count(all, "Access-Control"), 0U);
}

TEST_F(HttpServerTest, BodyMayComeInPieces) {
  start({}, echo);
  const auto fd = connect();
  say(fd, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n");
  say(fd, "3\r\nabc\r\n");
  say(fd, "2\r\nde\r\n0\r\n\r\n");
  EXPECT_NE(hear_all(fd).find("\r\n\r\nabcde"), std::string::npos);
}

TEST_F(HttpServerTest, ClientMayAskBeforeItSendsTheBody) {
  start({}, echo);
  const auto fd = connect();
  say(fd, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_NE(hear(fd, "\r\n\r\n").find("100 Continue"), std::string::npos);
  say(fd, "hi");
  EXPECT_NE(hear(fd, "hi").find("200 OK"), std::string::npos);
}

TEST_F(HttpServerTest, RefusalComesBeforeTheBodyAndCloses) {
  start({}, echo, [](const HttpRequest& request) -> std::optional<HttpReply> {
    EXPECT_EQ(request.method, "POST");
    EXPECT_TRUE(request.body.empty());
    EXPECT_EQ(*request.find("x-name"), "Value");
    return plain_reply(403, "No.");
  });
  const auto fd = connect();
  say(fd, "POST /a?b HTTP/1.1\r\nHost: x\r\nX-NAME:  Value \r\nContent-Length: 100000\r\n\r\n");
  const std::string all = hear_all(fd);
  EXPECT_TRUE(all.starts_with("HTTP/1.1 403 Forbidden\r\n")) << all;
  EXPECT_NE(all.find("Connection: close"), std::string::npos);
}

TEST_F(HttpServerTest, LongHeadersAreRefused) {
  start({}, echo);
  const auto one = connect();
  say(one, "GET / HTTP/1.1\r\nHost: x\r\nX: " + std::string(40'000, 'a') + "\r\n\r\n");
  EXPECT_TRUE(hear_all(one).starts_with("HTTP/1.1 431 "));
  const auto many = connect();
  std::string flood = "GET / HTTP/1.1\r\nHost: x\r\n";
  for (int i = 0; i < 5'000; ++i) flood += "X-" + std::to_string(i) + ": a\r\n";
  say(many, flood + "\r\n");
  EXPECT_TRUE(hear_all(many).starts_with("HTTP/1.1 431 "));
}

TEST_F(HttpServerTest, LongBodyIsRefused) {
  HttpLimits limits;
  limits.body_bytes = 1000;
  start(limits, echo);
  const auto fd = connect();
  say(fd, "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n800\r\n" +
              std::string(0x800, 'a'));
  EXPECT_TRUE(hear_all(fd).starts_with("HTTP/1.1 413 "));
}

TEST_F(HttpServerTest, WhatIsNoRequestIsRefused) {
  start({}, echo);
  for (const char* text :
       {"nonsense\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : x\r\n\r\n", "GET / HTTP/1.1\r\nHost: x\r\nA\x01: b\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "{\"jsonrpc\":\"2.0\"}\n\n"}) {
    const auto fd = connect();
    say(fd, text);
    EXPECT_TRUE(hear_all(fd).starts_with("HTTP/1.1 400 Bad Request")) << text;
  }
}

TEST_F(HttpServerTest, SlowClientsAreCut) {
  HttpLimits limits;
  limits.first_byte = limits.header = limits.body = limits.idle = std::chrono::milliseconds(50);
  start(limits, echo);
  const auto silent = connect();
  EXPECT_EQ(hear_all(silent), "");
  const auto in_header = connect();
  say(in_header, "POST / HTTP/1.1\r\nHos");
  EXPECT_EQ(hear_all(in_header), "");
  const auto in_body = connect();
  say(in_body, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(hear_all(in_body), "");
  const auto idle = connect();
  say(idle, post("x"));
  EXPECT_TRUE(hear_all(idle).ends_with("\r\n\r\nx"));
}

TEST_F(HttpServerTest, DroppingBytesDoesNotBuyTime) {
  HttpLimits limits;
  limits.header = std::chrono::milliseconds(200);
  start(limits, echo);
  const auto fd = connect();
  const auto start = std::chrono::steady_clock::now();
  // A byte a turn, for as long as the server takes them.
  say(fd, "POST / HTTP/1.1\r\nX: ");
  char byte = 0;
  const timeval turn{0, 10'000};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &turn, sizeof(turn));
  while (::recv(fd.get(), &byte, 1, 0) < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
    ASSERT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
    say(fd, "a");
  }
  SUCCEED();
}

TEST_F(HttpServerTest, TooManyConnectionsGetASentence) {
  HttpLimits limits;
  limits.connections = 2;
  start(limits, echo);
  const auto first = connect();
  const auto second = connect();
  say(first, post("a"));
  EXPECT_NE(hear(first, "\r\n\r\na").find("200"), std::string::npos);
  say(second, post("b"));
  EXPECT_NE(hear(second, "\r\n\r\nb").find("200"), std::string::npos);
  const auto third = connect();
  EXPECT_TRUE(hear_all(third).starts_with("HTTP/1.1 503 "));
}

TEST_F(HttpServerTest, EventsAreChunksAndSilenceIsFilled) {
  HttpLimits limits;
  limits.heartbeat = std::chrono::milliseconds(20);
  start(limits, [this](const std::shared_ptr<Exchange>& exchange) {
    kept_.push_back(exchange);
    exchange->open_stream({{"Mcp-Session-Id", "s"}});
    exchange->send_event("{\"a\":1}");
  });
  const auto fd = connect();
  say(fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const std::string head = hear(fd, "3\r\n:\n\n\r\n");
  EXPECT_NE(head.find("Content-Type: text/event-stream\r\n"), std::string::npos);
  EXPECT_NE(head.find("Mcp-Session-Id: s\r\n"), std::string::npos);
  EXPECT_NE(head.find("X-Accel-Buffering: no\r\n"), std::string::npos);
  EXPECT_NE(head.find("event: message\ndata: {\"a\":1}\n\n\r\n"), std::string::npos);
  asio::post(io_, [this] { kept_.front()->end_stream(); });
  EXPECT_NE(hear(fd, "0\r\n\r\n").find("0\r\n\r\n"), std::string::npos);
}

TEST_F(HttpServerTest, HandlerHearsThatTheClientLeft) {
  start({}, [this](const std::shared_ptr<Exchange>& exchange) {
    kept_.push_back(exchange);
    exchange->on_gone([this] { gone_.set_value(); });
    asio::post(io_, [this] { asked_.set_value(); });
  });
  auto fd = connect();
  say(fd, post("x"));
  asked_.get_future().wait();
  fd.reset();
  EXPECT_EQ(gone_.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

TEST_F(HttpServerTest, ReaderThatDoesNotReadIsDropped) {
  HttpLimits limits;
  limits.backlog_bytes = 100'000;
  limits.write = std::chrono::milliseconds(100);
  start(limits, [this](const std::shared_ptr<Exchange>& exchange) {
    kept_.push_back(exchange);
    exchange->open_stream({});
    exchange->on_gone([this] { gone_.set_value(); });
    for (int i = 0; i < 100; ++i) exchange->send_event(std::string(100'000, 'a'));
  });
  const auto fd = connect();
  say(fd, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(gone_.get_future().wait_for(std::chrono::seconds(30)), std::future_status::ready);
}

TEST_F(HttpServerTest, ForgottenRequestIsAnsweredAllTheSame) {
  start({}, [](const std::shared_ptr<Exchange>&) {});
  const auto fd = connect();
  say(fd, post("x", "Connection: close\r\n"));
  EXPECT_TRUE(hear_all(fd).starts_with("HTTP/1.1 500 "));
}

TEST_F(HttpServerTest, DrainAnswersAndEndsStreams) {
  start({}, [this](const std::shared_ptr<Exchange>& exchange) {
    kept_.push_back(exchange);
    if (exchange->request().method == "GET") exchange->open_stream({});
    if (kept_.size() == 2) asked_.set_value();
  });
  const auto waiting = connect();
  say(waiting, post("x"));
  const auto stream = connect();
  say(stream, "GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto idle = connect();
  asked_.get_future().wait();
  asio::post(io_, [this] { server_->drain([] {}); });
  EXPECT_TRUE(hear_all(waiting).starts_with("HTTP/1.1 503 "));
  EXPECT_TRUE(hear_all(stream).ends_with("0\r\n\r\n"));
  EXPECT_EQ(hear_all(idle), "");
}

TEST_F(HttpServerTest, PortInUseIsSaid) {
  start({}, echo);
  asio::io_context other;
  const auto second = HttpServer::listen(other, port_, {});
  ASSERT_FALSE(second.has_value());
  EXPECT_EQ(second.error().code, Errc::conflict);
  EXPECT_NE(second.error().message.find("http.listen"), std::string::npos);
}

}  // namespace
}  // namespace warpmind::daemon::http
