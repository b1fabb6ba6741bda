#pragma once
/// \file
/// The two eras of MCP: revisions with a handshake, and the stateless one. What a request says of
/// itself, and how results differ.

#include "daemon/protocol/document.h"
#include "daemon/protocol/error_codec.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace warpmind::daemon::mcp {

inline constexpr std::string_view kModern = "2026-07-28";
inline constexpr std::array<std::string_view, 2> kLegacy{"2025-11-25", "2025-06-18"};

/// Codes that MCP itself gives.
inline constexpr std::int64_t kMissingCapability = -32021;
inline constexpr std::int64_t kUnsupportedVersion = -32022;
inline constexpr std::int64_t kLegacyNoResource = -32002;
inline constexpr std::int64_t kInternalError = -32603;

/// What a request says of itself.
struct Caller {
  bool modern = false;
  bool tasks = false;          ///< declared the tasks extension on this request
  std::string progress_token;  ///< JSON text; empty = wants no progress
};

/// `legacy`: the connection shook hands. A request without metadata of an unknown connection is
/// refused. Errors are ready for the wire.
[[nodiscard]] std::variant<Caller, protocol::WireError> caller_of(const protocol::Document& params,
                                                                  bool legacy);
/// Whether the request carries metadata of the stateless era.
[[nodiscard]] bool has_modern_meta(const protocol::Document& params);

/// To a request that needs the tasks extension and does not declare it.
[[nodiscard]] protocol::WireError missing_tasks();

/// The revision to answer `initialize` with: the one asked for, or the newest that shakes hands.
[[nodiscard]] std::string_view handshake_version(std::string_view asked);

/// How long clients may keep an answer.
enum class Caching { none, fixed, live, stored };

/// A result object as JSON text: with `resultType` and, where asked, caching hints in the modern
/// era.
[[nodiscard]] std::string finished(nlohmann::json result, const Caller& caller, Caching caching);

/// Results of `server/discover` and `initialize`, before finished().
[[nodiscard]] nlohmann::json discovery(const std::string& version);
[[nodiscard]] nlohmann::json handshake(const std::string& version, std::string_view revision);

}  // namespace warpmind::daemon::mcp
