#pragma once
/// \file
/// Files of the state directory in which a daemon that serves HTTP says how it is reached.

#include <string_view>

namespace warpmind::daemon::protocol {

/// The token that clients send, 64 hexadecimal digits; mode 0600. Kept over restarts.
inline constexpr std::string_view kHttpTokenFile = "http.token";
/// A token of the same kind that opens /metrics and nothing else, for who collects figures.
inline constexpr std::string_view kMetricsTokenFile = "metrics.token";
/// Where MCP is served; there only while it is.
inline constexpr std::string_view kHttpUrlFile = "http.url";

}  // namespace warpmind::daemon::protocol
