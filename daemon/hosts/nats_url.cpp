#include "daemon/hosts/buses.h"

namespace warpmind::daemon::hosts {

Result<void> check_nats_url(const std::string& url) {
  const bool known = url.starts_with("nats://") || url.starts_with("tls://");
  const auto host = known ? url.substr(url.find("//") + 2) : std::string();
  if (host.find('@') != std::string::npos) {
    return fail(Errc::invalid_argument,
                "queue.nats must not hold a secret, for others can read it: put the token into a "
                "file of mode 0600 and name it in queue.nats_token_file");
  }
  if (host.empty() || host.find_first_of(" ,/") != std::string::npos) {
    return fail(Errc::invalid_argument,
                "queue.nats must be an address like nats://127.0.0.1:4222 or tls://host:4222");
  }
  return {};
}

}  // namespace warpmind::daemon::hosts
