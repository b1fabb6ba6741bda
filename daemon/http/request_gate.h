#pragma once
/// \file
/// Who may ask over HTTP. A web page in the user's browser can reach a loopback port too, also
/// under a name of its own that it lets lead here: so names are checked, and a token is needed.

#include "daemon/http/access_token.h"
#include "daemon/http/http_message.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace warpmind::daemon::http {

struct GateRules {
  std::uint16_t port = 0;
  std::size_t body_bytes = 0;         ///< longest body
  const AccessToken* also = nullptr;  ///< opens this path too
  bool needs_token = true;            ///< false: this path is for everybody who is let near
};

/// The answer to a request that goes no further, judged by its head alone; nullopt lets it pass.
/// In order: version, target, Host, Origin, Sec-Fetch-Site, token, and what a body must be.
[[nodiscard]] std::optional<HttpReply> turn_away(const HttpRequest& request, const GateRules& rules,
                                                 const AccessToken& token);

}  // namespace warpmind::daemon::http
