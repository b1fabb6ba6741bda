#include "daemon/protocol/error_codec.h"

#include <array>

namespace warpmind::daemon::protocol {
namespace {

struct ErrcRow {
  Errc code;
  std::string_view name;
  std::string_view meaning;
};
constexpr std::array kErrcRows{
    ErrcRow{Errc::invalid_argument, "invalid_argument",
            "the input is wrong; the message says what, where, how to fix"},
    ErrcRow{Errc::not_found, "not_found", "a named thing that must exist does not"},
    ErrcRow{Errc::conflict, "conflict", "the request contradicts what is stored or spoken"},
    ErrcRow{Errc::timeout, "timeout", "a deadline passed"},
    ErrcRow{Errc::cancelled, "cancelled", "stopped on request"},
    ErrcRow{Errc::unavailable, "unavailable",
            "a facility of this machine is missing (GPU, nvcc, sandbox, disk space)"},
    ErrcRow{Errc::corrupt_data, "corrupt_data",
            "stored or received bytes cannot be what they claim to be"},
    ErrcRow{Errc::external_failure, "external_failure",
            "a library or the operating system refused"},
};

struct WireRow {
  std::int64_t code;
  std::string_view name;
  Errc errc;
  std::string_view meaning;
};
constexpr std::array kWireRows{
    WireRow{kParseError, "parse_error", Errc::corrupt_data,
            "the line is not JSON, or too deep; the connection stays"},
    WireRow{kInvalidRequest, "invalid_request", Errc::invalid_argument,
            "JSON, but not a JSON-RPC 2.0 request; the connection stays"},
    WireRow{kMethodNotFound, "method_not_found", Errc::not_found,
            "no such method; the message names the nearest one"},
    WireRow{kInvalidParams, "invalid_params", Errc::invalid_argument,
            "an unknown, missing or wrongly typed parameter; the message names it"},
    WireRow{kMessageTooLarge, "message_too_large", Errc::invalid_argument,
            "a line over the limit; the connection is closed"},
    WireRow{kTooManyConnections, "too_many_connections", Errc::unavailable,
            "the daemon serves as many clients as it may; the connection is closed"},
    WireRow{kForbiddenPeer, "forbidden_peer", Errc::unavailable,
            "another user, or a process of another namespace; the connection is closed"},
};

}  // namespace

std::string_view errc_name(Errc code) {
  for (const auto& row : kErrcRows) {
    if (row.code == code) return row.name;
  }
  return "external_failure";
}

WireError to_wire(const Error& error) {
  return {kErrcBase - static_cast<std::int64_t>(error.code), error.message,
          "{\"errc\":\"" + std::string(errc_name(error.code)) + "\"}"};
}

Error from_wire(const WireError& error) {
  for (const auto& row : kErrcRows) {
    if (kErrcBase - static_cast<std::int64_t>(row.code) == error.code) {
      return {row.code, error.message};
    }
  }
  for (const auto& row : kWireRows) {
    if (row.code == error.code) return {row.errc, error.message};
  }
  return {Errc::external_failure, error.message};
}

std::string render_error_table() {
  std::string text = "| code | name | meaning |\n|---|---|---|\n";
  const auto add = [&text](std::int64_t code, std::string_view name, std::string_view meaning) {
    text += "| " + std::to_string(code) + " | `" + std::string(name) + "` | " +
            std::string(meaning) + " |\n";
  };
  for (const auto& row : kErrcRows) {
    add(kErrcBase - static_cast<std::int64_t>(row.code), row.name, row.meaning);
  }
  for (const auto& row : kWireRows) add(row.code, row.name, row.meaning);
  return text;
}

}  // namespace warpmind::daemon::protocol
