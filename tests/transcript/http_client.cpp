#include "tests/transcript/http_client.h"

#include "tests/transcript/daemon_process.h"

#include <arpa/inet.h>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <netinet/in.h>
#include <sys/socket.h>
#include <utility>

namespace warpmind::tests {
namespace {

std::string first_line(const std::filesystem::path& file) {
  const auto text = read_file(file, 4096);
  return text ? text->substr(0, text->find('\n')) : std::string();
}

std::string lower_case(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
  }
  return text;
}

}  // namespace

HttpPlace HttpPlace::of(const std::filesystem::path& home) {
  const std::string url = first_line(home / "state" / "http.url");
  HttpPlace place;
  place.token = first_line(home / "state" / "http.token");
  const auto colon = url.rfind(':');
  if (colon != std::string::npos) {
    place.port = static_cast<std::uint16_t>(std::atoi(url.c_str() + colon + 1));
  }
  return place;
}

std::string HttpPlace::head(std::string_view method, std::string_view more) const {
  std::string text(method);
  text += " /mcp HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port);
  text += "\r\nAuthorization: Bearer " + token + "\r\n";
  text += more;
  return text;
}

std::string HttpPlace::post(std::string_view body, std::string_view more) const {
  std::string text = head("POST", more);
  text += "Content-Type: application/json\r\nContent-Length: " + std::to_string(body.size());
  text += "\r\n\r\n";
  text += body;
  return text;
}

HttpWire::HttpWire(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval patience{kPatience.count(), 0};
  ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
  if (::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0) {
    return;
  }
  std::fprintf(stderr, "test client: nobody listens on port %d\n", port);
  std::abort();
}

bool HttpWire::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

bool HttpWire::fill() {
  std::string chunk(std::size_t{16} * 1024, '\0');
  const ssize_t n = ::recv(fd_.get(), chunk.data(), chunk.size(), 0);
  if (n <= 0) return false;
  buffer_.append(chunk, 0, static_cast<std::size_t>(n));
  return true;
}

std::optional<std::string> HttpWire::read_until(std::string_view mark) {
  while (true) {
    if (const auto end = buffer_.find(mark); end != std::string::npos) {
      std::string text = buffer_.substr(0, end);
      buffer_.erase(0, end + mark.size());
      return text;
    }
    if (!fill()) return std::nullopt;
  }
}

std::optional<std::string> HttpWire::read_bytes(std::size_t count) {
  while (buffer_.size() < count) {
    if (!fill()) return std::nullopt;
  }
  std::string text = buffer_.substr(0, count);
  buffer_.erase(0, count);
  return text;
}

std::optional<HttpAnswer> HttpWire::read_head() {
  auto line = read_until("\r\n");
  if (!line || !line->starts_with("HTTP/1.1 ") || line->size() < 12) return std::nullopt;
  HttpAnswer answer;
  answer.status = std::atoi(line->c_str() + 9);
  while ((line = read_until("\r\n"))) {
    if (line->empty()) return answer;
    const auto colon = line->find(": ");
    if (colon == std::string::npos) return std::nullopt;
    answer.headers[lower_case(line->substr(0, colon))] = line->substr(colon + 2);
  }
  return std::nullopt;
}

std::optional<HttpAnswer> HttpWire::read_answer() {
  auto answer = read_head();
  if (!answer) return std::nullopt;
  const auto length = answer->headers.find("content-length");
  if (length == answer->headers.end()) return answer;
  auto body = read_bytes(static_cast<std::size_t>(std::atoll(length->second.c_str())));
  if (!body) return std::nullopt;
  answer->body = std::move(*body);
  return answer;
}

std::optional<std::string> HttpWire::read_event() {
  while (true) {
    const auto size = read_until("\r\n");
    if (!size) return std::nullopt;
    const auto bytes = static_cast<std::size_t>(std::strtoull(size->c_str(), nullptr, 16));
    const auto chunk = read_bytes(bytes);
    if (!chunk || !read_until("\r\n") || bytes == 0) return std::nullopt;
    constexpr std::string_view kId = "id: ";
    if (chunk->starts_with(kId)) {
      event_id_ = chunk->substr(kId.size(), chunk->find('\n') - kId.size());
    }
    constexpr std::string_view kMark = "data: ";
    const auto data = chunk->find(kMark);
    if (data == std::string::npos) continue;  // a sign of life
    return chunk->substr(data + kMark.size(), chunk->find("\n\n", data) - data - kMark.size());
  }
}

bool HttpWire::at_end() {
  while (fill()) buffer_.clear();
  return errno != EAGAIN && errno != EWOULDBLOCK;
}

HttpAnswer ask(std::uint16_t port, std::string_view request) {
  HttpWire wire(port);
  (void)wire.send(request);  // it may close before all was sent; its answer is still to be read
  return wire.read_answer().value_or(HttpAnswer{});
}

}  // namespace warpmind::tests
