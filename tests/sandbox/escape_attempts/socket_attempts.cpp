#include "tests/sandbox/escape_attempts/attempt.h"

#include <arpa/inet.h>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <linux/netlink.h>
#include <mqueue.h>
#include <netinet/in.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace escape {
namespace {

bool connect_unix(const std::string& name, bool abstract, int type) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::size_t offset = abstract ? 1 : 0;
  name.copy(&address.sun_path[offset], sizeof address.sun_path - 1 - offset);
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + offset + name.size() +
                                           (abstract ? 0 : 1));
  const int fd = ::socket(AF_UNIX, type | SOCK_CLOEXEC, 0);
  return fd >= 0 && ::connect(fd, reinterpret_cast<const sockaddr*>(&address), size) == 0;
}

bool connect_daemon(const Targets& targets) {
  return connect_unix(targets.text("stream_socket"), false, SOCK_STREAM);
}

bool connect_datagram(const Targets& targets) {
  return connect_unix(targets.text("datagram_socket"), false, SOCK_DGRAM);
}

bool connect_abstract(const Targets& targets) {
  return connect_unix(targets.text("abstract_socket"), true, SOCK_STREAM);
}

sockaddr_in loopback(long port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return address;
}

bool connect_tcp(const Targets& targets) {
  const sockaddr_in address = loopback(targets.number("tcp_port"));
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return fd >= 0 && ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

bool connect_tcp_by_version_6(const Targets& targets) {
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_port = htons(static_cast<std::uint16_t>(targets.number("tcp_port")));
  ::inet_pton(AF_INET6, "::ffff:127.0.0.1", &address.sin6_addr);
  const int fd = ::socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return fd >= 0 && ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

/// A question for the address of "a." to the test's own port: how data leaves by name server.
bool ask_name_server(const Targets& targets) {
  const sockaddr_in address = loopback(targets.number("udp_port"));
  constexpr std::array<unsigned char, 19> kQuestion = {1, 2, 1, 0,   0, 1, 0, 0, 0, 0,
                                                       0, 0, 1, 'a', 0, 0, 1, 0, 1};
  const int fd = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  return fd >= 0 && ::sendto(fd, kQuestion.data(), kQuestion.size(), 0,
                             reinterpret_cast<const sockaddr*>(&address),
                             sizeof address) == static_cast<ssize_t>(kQuestion.size());
}

bool listen_on_tcp(const Targets&) {
  const sockaddr_in address = loopback(0);
  const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  return fd >= 0 && ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
         ::listen(fd, 1) == 0;
}

bool open_raw_socket(const Targets&) {
  return worked(::socket(AF_INET, SOCK_RAW | SOCK_CLOEXEC, IPPROTO_ICMP));
}

bool open_packet_socket(const Targets&) {
  return worked(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0));
}

bool open_netlink(const Targets&) {
  return worked(::socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE));
}

bool see_ports(const Targets& targets) {
  std::array<char, 16> port{};
  std::snprintf(port.data(), port.size(), ":%04lX", targets.number("tcp_port"));
  return holds("/proc/net/tcp", port.data());
}

bool see_sockets(const Targets& targets) {
  return holds("/proc/net/unix", targets.text("abstract_socket"));
}

bool attach_shared_memory(const Targets& targets) {
  const void* memory = ::shmat(static_cast<int>(targets.number("shared_id")), nullptr, SHM_RDONLY);
  if (reinterpret_cast<std::intptr_t>(memory) == -1) return false;
  return std::strncmp(static_cast<const char*>(memory), targets.text("secret").c_str(),
                      targets.text("secret").size()) == 0;
}

bool open_message_queue(const Targets& targets) {
  return worked(::mq_open(("/" + targets.text("shared_name")).c_str(), O_RDONLY | O_CLOEXEC));
}

bool see_host_name(const Targets& targets) {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0) return false;
  errno = ENODATA;
  return targets.text("host_name") == name.data();
}

bool set_host_name(const Targets&) {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 &&
         ::sethostname(name.data(), std::strlen(name.data())) == 0;
}

}  // namespace

const std::vector<Attempt>& socket_attempts() {
  static const std::vector<Attempt> list = {
      {"connect_daemon", Needs::nothing, connect_daemon},
      {"connect_datagram", Needs::nothing, connect_datagram},
      {"connect_abstract", Needs::nothing, connect_abstract},
      {"connect_tcp", Needs::nothing, connect_tcp},
      {"connect_tcp_by_version_6", Needs::nothing, connect_tcp_by_version_6},
      {"ask_name_server", Needs::nothing, ask_name_server},
      {"listen_on_tcp", Needs::nothing, listen_on_tcp},
      {"open_raw_socket", Needs::root, open_raw_socket},
      {"open_packet_socket", Needs::root, open_packet_socket},
      {"open_netlink", Needs::nothing, open_netlink},
      {"see_ports", Needs::nothing, see_ports},
      {"see_sockets", Needs::nothing, see_sockets},
      {"attach_shared_memory", Needs::nothing, attach_shared_memory},
      {"open_message_queue", Needs::nothing, open_message_queue},
      {"see_host_name", Needs::nothing, see_host_name},
      {"set_host_name", Needs::root, set_host_name}};
  return list;
}

}  // namespace escape
