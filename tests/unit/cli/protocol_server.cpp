#include "protocol_server.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <sys/socket.h>
#include <sys/un.h>

namespace warpmind::clients {
namespace {

[[noreturn]] void give_up(const std::string& why) {
  std::cerr << "test server: " << why << '\n';
  std::abort();
}

}  // namespace

UniqueFd listen_at(const std::filesystem::path& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.native().size() >= sizeof(address.sun_path)) give_up("path too long");
  std::memcpy(static_cast<char*>(address.sun_path), path.c_str(), path.native().size());
  UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0 ||
      ::listen(fd.get(), 8) != 0) {
    give_up(std::string("cannot listen at ") + path.string() + ": " + std::strerror(errno));
  }
  return fd;
}

ScratchDirectory fresh_folder() {
  auto folder = ScratchDirectory::create(std::filesystem::temp_directory_path(), "warpmind-cli");
  if (!folder) give_up(folder.error().message);
  return std::move(folder).value();
}

void ServedConnection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t n = ::send(fd_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (n <= 0) return;  // the client has gone: the test says whether that is right
    bytes.remove_prefix(static_cast<std::size_t>(n));
  }
}

void ServedConnection::greet(std::int64_t protocol, std::int64_t pid) {
  send(daemon::protocol::make_notification(
      "greeting", R"({"server":"warpmindd","version":"0.1.0","protocol":)" +
                      std::to_string(protocol) + R"(,"pid":)" + std::to_string(pid) + "}"));
}

std::optional<daemon::protocol::Message> ServedConnection::receive() {
  while (true) {
    auto line = lines_.next();
    if (!line) return std::nullopt;
    if (line->has_value()) return daemon::protocol::parse_message(**line);
    std::array<char, 4096> chunk{};
    const ssize_t n = ::recv(fd_.get(), chunk.data(), chunk.size(), 0);
    if (n <= 0) return std::nullopt;
    lines_.append({chunk.data(), static_cast<std::size_t>(n)});
  }
}

void ServedConnection::answer(const daemon::protocol::Message& request,
                              std::string_view result_json) {
  std::string line(result_json);  // scripts may break long JSON texts
  std::replace(line.begin(), line.end(), '\n', ' ');
  send(daemon::protocol::make_result(request.id, line));
}

void ServedConnection::refuse(const daemon::protocol::Message& request, const Error& error) {
  send(daemon::protocol::make_error(request.id, daemon::protocol::to_wire(error)));
}

ProtocolServer::ProtocolServer(Script script)
    : script_(std::move(script)),
      folder_(fresh_folder()),
      socket_(folder_.path() / "d.sock"),
      listener_(listen_at(socket_)),
      thread_([this] { serve(); }) {}

ProtocolServer::~ProtocolServer() {
  ::shutdown(listener_.get(), SHUT_RDWR);  // accept() returns
  thread_.join();
}

void ProtocolServer::serve() {
  while (true) {
    UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!fd) return;
    ServedConnection connection(std::move(fd));
    script_(connection);
  }
}

}  // namespace warpmind::clients
