#pragma once
/// \file
/// JSON-RPC 2.0 messages as values. One message a line; batches are refused.

#include "daemon/protocol/document.h"
#include "daemon/protocol/error_codec.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace warpmind::daemon::protocol {

/// Id of a request: an integer or a string; monostate is null (a reply to an unreadable request).
using RequestId = std::variant<std::monostate, std::int64_t, std::string>;

enum class MessageKind {
  request,       ///< id, method, params
  notification,  ///< method, params
  response,      ///< id, and result or error
  invalid,       ///< error says why; id where one could be read
};

struct Message {
  MessageKind kind = MessageKind::invalid;
  RequestId id;
  std::string method;
  Document params;  ///< an object; null when absent
  Document result;
  std::optional<WireError> error;
};

/// Reads one line, without its `\n`. Never fails: what is not a message comes back as `invalid`
/// with kParseError or kInvalidRequest.
[[nodiscard]] Message parse_message(std::string_view line);

/// Text forms, each one line ended by `\n`. `params` and `result` are JSON texts (encode()).
[[nodiscard]] std::string make_request(const RequestId& id, std::string_view method,
                                       std::string_view params);
[[nodiscard]] std::string make_notification(std::string_view method, std::string_view params);
[[nodiscard]] std::string make_result(const RequestId& id, std::string_view result);
[[nodiscard]] std::string make_error(const RequestId& id, const WireError& error);

/// "7" or "\"abc\"" or "null": for messages and maps.
[[nodiscard]] std::string id_text(const RequestId& id);
/// Reads an id out of params, as `$/cancelRequest` carries it. Errors: invalid_argument.
[[nodiscard]] Result<RequestId> id_of(const Document& params);

}  // namespace warpmind::daemon::protocol
