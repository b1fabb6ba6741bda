#include "tests/unit/observation/loopback_collector.h"

#include <array>
#include <chrono>
#include <cstdint>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace warpmind::tests {
namespace {

constexpr std::chrono::seconds kPatience{60};

/// False when `stop` speaks first.
bool is_readable(const UniqueFd& fd, const UniqueFd& stop) {
  std::array<pollfd, 2> watched{{{fd.get(), POLLIN, 0}, {stop.get(), POLLIN, 0}}};
  ::poll(watched.data(), watched.size(), -1);
  return watched[1].revents == 0;
}

std::size_t length_in(const std::string& head) {
  const auto at = head.find("Content-Length: ");
  return at == std::string::npos ? 0 : std::stoul(head.substr(at + 16));
}

}  // namespace

LoopbackCollector::LoopbackCollector(Mood mood)
    : listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
      stop_(::eventfd(0, EFD_CLOEXEC)),
      mood_(mood) {
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  (void)::bind(listener_.get(), reinterpret_cast<sockaddr*>(&here), sizeof(here));
  (void)::listen(listener_.get(), 16);
  thread_ = std::thread([this] { serve(); });
}

LoopbackCollector::~LoopbackCollector() {
  const std::uint64_t one = 1;
  (void)!::write(stop_.get(), &one, sizeof(one));
  thread_.join();
}

std::string LoopbackCollector::url() const {
  sockaddr_in here{};
  socklen_t length = sizeof(here);
  (void)::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&here), &length);
  return "http://127.0.0.1:" + std::to_string(ntohs(here.sin_port));
}

void LoopbackCollector::set_mood(Mood mood) {
  const std::scoped_lock lock(mutex_);
  mood_ = mood;
}

bool LoopbackCollector::await_requests(std::size_t count) {
  std::unique_lock lock(mutex_);
  return came_.wait_for(lock, kPatience, [&] { return bodies_.size() >= count; });
}

std::vector<std::string> LoopbackCollector::bodies() const {
  const std::scoped_lock lock(mutex_);
  return bodies_;
}

std::string LoopbackCollector::first_line() const {
  const std::scoped_lock lock(mutex_);
  return first_line_;
}

void LoopbackCollector::serve() {
  while (is_readable(listener_, stop_)) {
    const UniqueFd client(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (client) serve_one(client);
  }
}

/// One request a connection.
void LoopbackCollector::serve_one(const UniqueFd& client) {
  std::string text;
  std::array<char, 4096> chunk{};
  for (;;) {
    const auto end = text.find("\r\n\r\n");
    if (end != std::string::npos && text.size() >= end + 4 + length_in(text.substr(0, end))) break;
    if (!is_readable(client, stop_)) return;
    const ssize_t n = ::recv(client.get(), chunk.data(), chunk.size(), 0);
    if (n <= 0) return;
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
  Mood mood = Mood::takes;
  {
    const std::scoped_lock lock(mutex_);
    first_line_ = text.substr(0, text.find("\r\n"));
    bodies_.push_back(text.substr(text.find("\r\n\r\n") + 4));
    mood = mood_;
  }
  came_.notify_all();
  if (mood == Mood::stands_still) {
    (void)is_readable(client, stop_);  // until the client leaves
    return;
  }
  const std::string status = mood == Mood::takes     ? "200 OK"
                             : mood == Mood::refuses ? "400 Bad Request"
                                                     : "503 Service Unavailable";
  const std::string answer =
      "HTTP/1.1 " + status + "\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}";
  (void)!::send(client.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
}

}  // namespace warpmind::tests
