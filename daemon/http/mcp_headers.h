#pragma once
/// \file
/// What MCP says in HTTP headers, beside the message.

#include "daemon/http/http_message.h"
#include "daemon/protocol/envelope.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpmind::daemon::http {

inline constexpr std::string_view kVersionHeader = "mcp-protocol-version";
inline constexpr std::string_view kSessionHeader = "mcp-session-id";
inline constexpr std::int64_t kHeaderMismatch = -32020;

/// Forms of an answer that the client takes.
struct Accepted {
  bool json = false;
  bool events = false;
};
[[nodiscard]] Accepted accepted_by(const HttpRequest& request);

/// A header value as text: `=?base64?…?=` is decoded. nullopt when that is no base64.
[[nodiscard]] std::optional<std::string> header_text(std::string_view value);

/// 2026-07-28: version, method and name stand in headers too, and must be the message's. nullopt
/// when they are.
[[nodiscard]] std::optional<protocol::WireError> header_mismatch(const HttpRequest& request,
                                                                 const protocol::Message& message);

/// Of an error answer in that era.
[[nodiscard]] int status_of_error(std::int64_t code);

}  // namespace warpmind::daemon::http
