#include "tests/fakes/llm_server.h"

#include <cctype>
#include <cstdio>
#include <optional>
#include <sys/socket.h>
#include <utility>

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>

namespace warpmind::fakes {
namespace {

namespace asio = boost::asio;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr std::uint64_t kLongestRequest = std::uint64_t{64} << 20U;

LlmWire wire_of(const std::string& target) {
  if (target.ends_with("/messages")) return LlmWire::messages;
  return target.ends_with("/responses") ? LlmWire::responses : LlmWire::chat;
}

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

std::string head_of(const LlmReply& reply, const std::string& type, const std::string& framing) {
  std::string head = "HTTP/1.1 " + std::to_string(reply.status) + " Said\r\nContent-Type: " + type +
                     "\r\nx-request-id: req-7\r\n";
  for (const auto& line : reply.headers) head += line + "\r\n";
  return head + framing + "\r\n\r\n";
}

std::string chunk(const std::string& bytes) {
  char size[32];
  (void)std::snprintf(size, sizeof size, "%zx\r\n", bytes.size());
  return size + bytes + "\r\n";
}

}  // namespace

struct LlmServer::Listener {
  asio::io_context io;
  tcp::acceptor acceptor{io, tcp::endpoint(asio::ip::address_v4::loopback(), 0)};
};

class LlmServer::Connection {
 public:
  explicit Connection(tcp::socket socket) : socket_(std::move(socket)) {
    boost::system::error_code ignored;
    socket_.set_option(tcp::no_delay(true), ignored);
  }

  std::optional<LlmCall> read() {
    http::request_parser<http::string_body> parser;
    parser.body_limit(kLongestRequest);
    boost::system::error_code failed;
    http::read(socket_, buffer_, parser, failed);
    if (failed) return std::nullopt;
    const auto& request = parser.get();
    LlmCall call;
    call.method = std::string(request.method_string());
    call.target = std::string(request.target());
    call.body = request.body();
    for (const auto& field : request) {
      call.headers[lower(std::string(field.name_string()))] = std::string(field.value());
    }
    return call;
  }

  /// In writes of `piece` bytes; 0 = one. False when the client is gone.
  bool write(const std::string& bytes, std::size_t piece = 0) {
    boost::system::error_code failed;
    for (std::size_t from = 0; from < bytes.size() && !failed;) {
      const std::size_t size = piece == 0 ? bytes.size() : std::min(piece, bytes.size() - from);
      asio::write(socket_, asio::buffer(bytes.data() + from, size), failed);
      from += size;
    }
    return !failed;
  }

  /// From any thread: what is read or written from now on fails.
  void shut() { (void)::shutdown(socket_.native_handle(), SHUT_RDWR); }

  std::thread thread;

 private:
  tcp::socket socket_;
  boost::beast::flat_buffer buffer_;
};

LlmServer::LlmServer()
    : listener_(std::make_unique<Listener>()), answer_([](const LlmCall&) { return LlmReply{}; }) {
  acceptor_ = std::thread([this] { accept_all(); });
}

LlmServer::~LlmServer() {
  {
    const std::lock_guard held(mutex_);
    stopping_ = true;
    for (const auto& connection : connections_) connection->shut();
  }
  changed_.notify_all();
  (void)::shutdown(listener_->acceptor.native_handle(), SHUT_RDWR);
  acceptor_.join();
  for (const auto& connection : connections_) connection->thread.join();
}

std::string LlmServer::url() const {
  return "http://127.0.0.1:" + std::to_string(listener_->acceptor.local_endpoint().port());
}

void LlmServer::accept_all() {
  while (true) {
    boost::system::error_code failed;
    tcp::socket socket = listener_->acceptor.accept(failed);
    if (failed) return;
    const std::lock_guard held(mutex_);
    if (stopping_) return;
    auto& made = connections_.emplace_back(std::make_unique<Connection>(std::move(socket)));
    made->thread = std::thread([this, connection = made.get()] { serve(*connection); });
  }
}

void LlmServer::serve(Connection& connection) {
  while (const auto call = connection.read()) {
    const LlmReply reply = reply_to(*call);
    const bool stream = call->body.find("\"stream\":true") != std::string::npos;
    if (!send(connection, wire_of(call->target), stream, reply)) break;
  }
  connection.shut();
}

LlmReply LlmServer::reply_to(const LlmCall& call) {
  const std::lock_guard held(mutex_);
  calls_.push_back(call);
  return answer_(call);
}

bool LlmServer::send(Connection& connection, LlmWire wire, bool stream, const LlmReply& reply) {
  if (reply.fault == LlmFault::reset) return false;
  if (reply.fault == LlmFault::web_page) {
    return connection.write(head_of(reply, "text/html", "Content-Length: 13") + "<html></html>");
  }
  if (stream && reply.status == 200) return send_stream(connection, wire, reply);
  const std::string body =
      reply.status == 200 ? llm_whole(wire, reply) : llm_error_body(wire, reply.error);
  const std::string length = "Content-Length: " + std::to_string(body.size());
  const std::string all = head_of(reply, "application/json", length) + body;
  if (reply.fault != LlmFault::cut) return connection.write(all, reply.piece);
  (void)connection.write(all.substr(0, all.size() - body.size() / 2), reply.piece);
  return false;
}

bool LlmServer::send_stream(Connection& connection, LlmWire wire, const LlmReply& reply) {
  const auto events = llm_events(wire, reply);
  const auto send_all = [&](const std::vector<std::string>& list) {
    for (const auto& event : list) {
      if (!connection.write(chunk(event), reply.piece)) return false;
    }
    return true;
  };
  const std::string head =
      head_of(reply, "text/event-stream; charset=utf-8", "Transfer-Encoding: chunked");
  if (!connection.write(head, reply.piece) || !send_all(events.before)) return false;
  if (!send_middle(connection, wire, reply)) return false;
  if (!send_all(events.after)) return false;
  if (reply.fault != LlmFault::no_end && !send_all(events.end)) return false;
  return connection.write(chunk(""), reply.piece);
}

/// False when the answer ends here.
bool LlmServer::send_middle(Connection& connection, LlmWire wire, const LlmReply& reply) {
  const auto send_forever = [&](const std::string& event) {
    while (connection.write(chunk(event))) {
    }
    const std::lock_guard held(mutex_);
    ++hung_up_;
    changed_.notify_all();
    return false;
  };
  switch (reply.fault) {
    case LlmFault::cut: return false;
    case LlmFault::malformed: return connection.write(chunk("data: {\"type\": [tru\n\n"));
    case LlmFault::huge_event:
      return connection.write(chunk(llm_text_event(wire, std::string(reply.huge_bytes, 'x'))));
    case LlmFault::endless_text: return send_forever(llm_text_event(wire, "and on and on "));
    case LlmFault::endless_comments: return send_forever(": still there\n\n");
    case LlmFault::hold: return wait_for_release();
    case LlmFault::error_event:
      (void)connection.write(chunk(llm_error_event(wire, reply.error)) + chunk(""));
      return false;
    case LlmFault::none:
    case LlmFault::no_end:
    case LlmFault::web_page:
    case LlmFault::reset: break;
  }
  return true;
}

bool LlmServer::wait_for_release() {
  std::unique_lock held(mutex_);
  ++holding_;
  changed_.notify_all();
  changed_.wait(held, [this] { return released_ || stopping_; });
  --holding_;
  return !stopping_;
}

void LlmServer::script(std::vector<LlmReply> replies) {
  auto left = std::make_shared<std::list<LlmReply>>(replies.begin(), replies.end());
  answer([left](const LlmCall&) {
    const LlmReply next = left->front();
    if (left->size() > 1) left->pop_front();
    return next;
  });
}

void LlmServer::answer(Answer answer) {
  const std::lock_guard held(mutex_);
  answer_ = std::move(answer);
}

void LlmServer::await_held(std::size_t count) {
  std::unique_lock held(mutex_);
  changed_.wait(held, [&] { return holding_ >= count; });
}

void LlmServer::release() {
  {
    const std::lock_guard held(mutex_);
    released_ = true;
  }
  changed_.notify_all();
}

std::vector<LlmCall> LlmServer::calls() const {
  const std::lock_guard held(mutex_);
  return calls_;
}

std::size_t LlmServer::hung_up() const {
  const std::lock_guard held(mutex_);
  return hung_up_;
}

}  // namespace warpmind::fakes
