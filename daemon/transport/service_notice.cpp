#include "daemon/transport/service_notice.h"

#include "base/file.h"
#include "base/log.h"

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <sys/socket.h>
#include <sys/un.h>

namespace warpmind::daemon {

void notify_service_manager(std::string_view state) {
  const char* name = std::getenv("NOTIFY_SOCKET");  // NOLINT(concurrency-mt-unsafe): never set
  if (name == nullptr) return;
  const std::string_view path(name);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof(address.sun_path)) return;
  char* target = static_cast<char*>(address.sun_path);
  std::memcpy(target, path.data(), path.size());
  if (path.front() == '@') target[0] = '\0';  // abstract, as systemd may choose
  const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + path.size());
  const UniqueFd fd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  if (!fd || ::sendto(fd.get(), state.data(), state.size(), MSG_NOSIGNAL,
                      reinterpret_cast<const sockaddr*>(&address), length) < 0) {
    log::warn("daemon", "cannot notify the service manager",
              {{"state", state}, {"why", std::strerror(errno)}});
  }
}

}  // namespace warpmind::daemon
