#pragma once
/// \file
/// Answers as they go over the wire. HTTP/1.1.

#include "daemon/http/http_message.h"

#include <string>
#include <string_view>
#include <vector>

namespace warpmind::daemon::http {

/// Status line and headers, without the empty line. What every answer says: nothing may keep it
/// unless it says so itself, guess its type or show it in a frame.
[[nodiscard]] std::string head_of(int status, std::string_view content_type,
                                  const std::vector<HttpHeader>& headers);
/// One chunk of a body whose length is not known before.
[[nodiscard]] std::string chunk(std::string_view text);

}  // namespace warpmind::daemon::http
