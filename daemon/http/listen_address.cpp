#include "daemon/http/listen_address.h"

#include "base/text.h"

#include <string>

namespace warpmind::daemon::http {

Result<std::uint16_t> loopback_port(std::string_view listen) {
  const auto wrong = [&](const std::string& why) {
    return fail(Errc::invalid_argument, "http.listen is \"" + std::string(listen) + "\": " + why);
  };
  const auto colon = listen.rfind(':');
  if (colon == std::string_view::npos) return wrong("write address and port, 127.0.0.1:7411");
  const std::string_view host = listen.substr(0, colon);
  if (host != "127.0.0.1" && host != "localhost") {
    return wrong(
        "HTTP is served on 127.0.0.1 only; for other machines forward the port through ssh");
  }
  const auto port = parse_number<std::uint16_t>(listen.substr(colon + 1));
  if (!port) return wrong("the port is a number from 0 to 65535");
  return *port;
}

}  // namespace warpmind::daemon::http
