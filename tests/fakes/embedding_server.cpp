#include "tests/fakes/embedding_server.h"

#include <algorithm>
#include <arpa/inet.h>
#include <cctype>
#include <netinet/in.h>
#include <optional>
#include <stdexcept>
#include <sys/socket.h>
#include <utility>

#include <nlohmann/json.hpp>

namespace warpmind::fakes {
namespace {

using nlohmann::json;

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

/// Reads until `count` bytes are in `bytes`; false when the other side is gone.
bool read_to(int socket, std::string& bytes, std::size_t count) {
  std::string chunk(65536, '\0');
  while (bytes.size() < count) {
    const ssize_t n = ::recv(socket, chunk.data(), chunk.size(), 0);
    if (n <= 0) return false;
    bytes.append(chunk, 0, static_cast<std::size_t>(n));
  }
  return true;
}

bool send_all(int socket, const std::string& bytes) {
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    const ssize_t n = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

/// The value of a header; names of headers have no case.
std::string header_in(const std::string& head, const std::string& name) {
  std::string lower = head;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto at = lower.find("\r\n" + name + ": ");
  if (at == std::string::npos) return {};
  const auto from = at + 2 + name.size() + 2;
  return head.substr(from, head.find("\r\n", from) - from);
}

/// The next request of a connection; what follows it stays in `bytes`.
std::optional<EmbeddingCall> read_call(int socket, std::string& bytes) {
  auto end = bytes.find("\r\n\r\n");
  while (end == std::string::npos) {
    if (!read_to(socket, bytes, bytes.size() + 1)) return std::nullopt;
    end = bytes.find("\r\n\r\n");
  }
  const std::string head = bytes.substr(0, end + 2);
  const std::string length = header_in(head, "content-length");
  const std::size_t whole = end + 4 + (length.empty() ? 0 : std::stoul(length));
  if (!read_to(socket, bytes, whole)) return std::nullopt;
  const json body = json::parse(bytes.substr(end + 4, whole - end - 4), nullptr, false);
  bytes.erase(0, whole);
  EmbeddingCall call;
  const auto path = head.find(' ') + 1;
  call.path = head.substr(path, head.find(' ', path) - path);
  call.authorization = header_in(head, "authorization");
  if (body.is_object()) {
    call.model = body.value("model", "");
    call.texts = body.value("input", std::vector<std::string>());
  }
  return call;
}

std::string http_text(const EmbeddingReply& reply) {
  return "HTTP/1.1 " + std::to_string(reply.status) +
         " Said\r\nContent-Type: application/json\r\n" +
         (reply.header.empty() ? "" : reply.header + "\r\n") +
         "Content-Length: " + std::to_string(reply.body.size()) + "\r\n\r\n" + reply.body;
}

}  // namespace

std::string embedding_body(const std::vector<std::vector<float>>& vectors) {
  json data = json::array();
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    // Last first: an answer need not be in order.
    const std::size_t index = vectors.size() - 1 - i;
    data.push_back({{"object", "embedding"}, {"index", index}, {"embedding", vectors[index]}});
  }
  return json{{"object", "list"}, {"data", data}, {"model", "fake"}}.dump();
}

EmbeddingServer::EmbeddingServer(Embed embed) : embed_(std::move(embed)) { start(); }

EmbeddingServer::~EmbeddingServer() { stop(); }

std::string EmbeddingServer::url() const { return "http://127.0.0.1:" + std::to_string(port_); }

void EmbeddingServer::start() {
  UniqueFd listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int yes = 1;
  (void)::setsockopt(listening.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  auto address = loopback(port_);
  socklen_t size = sizeof address;
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listening.get(), plain, size) != 0 || ::listen(listening.get(), 64) != 0 ||
      ::getsockname(listening.get(), plain, &size) != 0) {
    throw std::runtime_error("the fake endpoint cannot listen");
  }
  port_ = ntohs(address.sin_port);
  const int fd = listening.get();
  const std::lock_guard held(mutex_);
  stopping_ = false;
  listening_ = std::move(listening);
  acceptor_ = std::thread([this, fd] { accept_all(fd); });
}

void EmbeddingServer::stop() {
  {
    const std::lock_guard held(mutex_);
    if (!acceptor_.joinable()) return;
    stopping_ = true;
    (void)::shutdown(listening_.get(), SHUT_RDWR);
  }
  changed_.notify_all();
  acceptor_.join();
  std::list<Connection> open;
  {
    const std::lock_guard held(mutex_);
    listening_.reset();
    open.swap(connections_);
    for (const auto& connection : open) (void)::shutdown(connection.socket.get(), SHUT_RDWR);
  }
  for (auto& connection : open) connection.thread.join();
}

void EmbeddingServer::accept_all(int listening) {
  while (true) {
    UniqueFd socket(::accept4(listening, nullptr, nullptr, SOCK_CLOEXEC));
    if (!socket) return;
    const int fd = socket.get();
    const std::lock_guard held(mutex_);
    connections_.push_back({std::move(socket), std::thread([this, fd] { serve(fd); })});
  }
}

void EmbeddingServer::serve(int socket) {
  std::string bytes;
  while (const auto call = read_call(socket, bytes)) {
    const auto reply = reply_to(*call);
    if (!send_all(socket, http_text(reply))) break;
  }
  (void)::shutdown(socket, SHUT_RDWR);
}

EmbeddingReply EmbeddingServer::reply_to(const EmbeddingCall& call) {
  Answer answer;
  {
    std::unique_lock held(mutex_);
    calls_.push_back(call);
    if (held_ && held_(call)) {
      ++holding_;
      changed_.notify_all();
      changed_.wait(held, [this] { return !held_ || stopping_; });
      --holding_;
    }
    answer = answer_;
  }
  return answer ? answer(call) : right(call);
}

EmbeddingReply EmbeddingServer::right(const EmbeddingCall& call) const {
  Embed embed;
  {
    const std::lock_guard held(mutex_);
    embed = embed_;
  }
  std::vector<std::vector<float>> vectors;
  for (const auto& text : call.texts) vectors.push_back(embed(text));
  return {200, embedding_body(vectors), ""};
}

void EmbeddingServer::answer(Answer answer) {
  const std::lock_guard held(mutex_);
  answer_ = std::move(answer);
}

void EmbeddingServer::embed_by(Embed embed) {
  const std::lock_guard held(mutex_);
  embed_ = std::move(embed);
}

void EmbeddingServer::hold(Which which) {
  const std::lock_guard held(mutex_);
  held_ = std::move(which);
}

void EmbeddingServer::release() {
  {
    const std::lock_guard held(mutex_);
    held_ = nullptr;
  }
  changed_.notify_all();
}

void EmbeddingServer::await_held(std::size_t count) {
  std::unique_lock held(mutex_);
  changed_.wait(held, [&] { return holding_ >= count; });
}

std::vector<EmbeddingCall> EmbeddingServer::calls() const {
  const std::lock_guard held(mutex_);
  return calls_;
}

std::size_t EmbeddingServer::times(const std::string& text) const {
  std::size_t count = 0;
  for (const auto& call : calls()) {
    count += static_cast<std::size_t>(std::count(call.texts.begin(), call.texts.end(), text));
  }
  return count;
}

}  // namespace warpmind::fakes
