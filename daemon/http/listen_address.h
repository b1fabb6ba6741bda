#pragma once
/// \file
/// The setting http.listen.

#include "base/result.h"

#include <cstdint>
#include <string_view>

namespace warpmind::daemon::http {

/// Port of "127.0.0.1:7411" or "localhost:7411"; 0 = any free one. Errors: invalid_argument for
/// other addresses: the daemon speaks HTTP to its own machine alone.
[[nodiscard]] Result<std::uint16_t> loopback_port(std::string_view listen);

}  // namespace warpmind::daemon::http
