#pragma once
/// \file
/// Errc <-> JSON-RPC error codes. Numbers are stable: never reused with another meaning.

#include "base/result.h"

#include <cstdint>
#include <string>

namespace warpmind::daemon::protocol {

/// Codes of JSON-RPC 2.0 itself, and ours for faults of the connection. An Errc travels as
/// `kErrcBase - value`: invalid_argument is -32001, …, external_failure is -32008.
inline constexpr std::int64_t kParseError = -32700;
inline constexpr std::int64_t kInvalidRequest = -32600;
inline constexpr std::int64_t kMethodNotFound = -32601;
inline constexpr std::int64_t kInvalidParams = -32602;
inline constexpr std::int64_t kErrcBase = -32000;
inline constexpr std::int64_t kMessageTooLarge = -32010;
inline constexpr std::int64_t kTooManyConnections = -32011;
inline constexpr std::int64_t kForbiddenPeer = -32012;

struct WireError {
  std::int64_t code = 0;
  std::string message;  ///< one sentence for a person
  std::string data;     ///< JSON text; empty = absent. Ours: {"errc":"not_found"}
  bool operator==(const WireError&) const = default;
};

/// "not_found": the name of a code, as in `data.errc`.
[[nodiscard]] std::string_view errc_name(Errc code);

[[nodiscard]] WireError to_wire(const Error& error);
/// Unknown codes become external_failure.
[[nodiscard]] Error from_wire(const WireError& error);
/// The table of codes for docs/protocol.md.
[[nodiscard]] std::string render_error_table();

}  // namespace warpmind::daemon::protocol
