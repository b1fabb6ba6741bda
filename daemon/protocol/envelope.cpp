#include "daemon/protocol/envelope.h"

#include "base/codec/json_guard.h"

#include <utility>

namespace warpmind::daemon::protocol {
namespace {

using nlohmann::json;

constexpr std::string_view kHead = R"({"jsonrpc":"2.0",)";

std::string json_string(std::string_view text) { return codec::dump_json(json(text)); }

bool read_id(const json& value, RequestId& id) {
  if (value.is_number_integer()) {
    // Ids beyond int64 would come back as another number.
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX) return false;
    id = value.get<std::int64_t>();
    return true;
  }
  if (value.is_string()) {
    id = value.get<std::string>();
    return true;
  }
  return value.is_null();
}

Message invalid(RequestId id, std::int64_t code, std::string why) {
  Message message;
  message.id = std::move(id);
  message.error = WireError{code, std::move(why), ""};
  return message;
}

WireError read_error(const json& value) {
  WireError error{0, "the reply carries an error without a message", ""};
  if (!value.is_object()) return error;
  if (const auto code = value.find("code"); code != value.end() && code->is_number_integer()) {
    error.code = code->get<std::int64_t>();
  }
  if (const auto text = value.find("message"); text != value.end() && text->is_string()) {
    error.message = text->get<std::string>();
  }
  if (const auto data = value.find("data"); data != value.end()) {
    error.data = codec::dump_json(*data);
  }
  return error;
}

Message read_call(json& root, RequestId id, bool has_id) {
  Message message;
  message.kind = has_id ? MessageKind::request : MessageKind::notification;
  message.method = root["method"].get<std::string>();
  if (const auto params = root.find("params"); params != root.end() && !params->is_null()) {
    if (!params->is_object()) {
      return invalid(std::move(id), kInvalidRequest,
                     "\"params\" must be an object of named parameters");
    }
    message.params = Document(std::move(*params));
  }
  message.id = std::move(id);
  return message;
}

}  // namespace

Message parse_message(std::string_view line) {
  auto parsed = codec::parse_json(line);
  if (!parsed) return invalid({}, kParseError, std::move(parsed).error().message);
  json& root = *parsed;
  if (root.is_array()) {
    return invalid({}, kInvalidRequest, "batches are not supported: send one request a line");
  }
  if (!root.is_object()) {
    return invalid({}, kInvalidRequest, "a message must be a JSON object");
  }
  RequestId id;
  const auto found = root.find("id");
  const bool has_id = found != root.end();
  if (has_id && !read_id(*found, id)) {
    return invalid({}, kInvalidRequest, "\"id\" must be an integer or a string");
  }
  const auto version = root.find("jsonrpc");
  if (version == root.end() || *version != "2.0") {
    return invalid(std::move(id), kInvalidRequest, "\"jsonrpc\" must be \"2.0\"");
  }
  if (const auto method = root.find("method"); method != root.end()) {
    if (!method->is_string()) {
      return invalid(std::move(id), kInvalidRequest, "\"method\" must be a string");
    }
    return read_call(root, std::move(id), has_id);
  }
  Message message;
  message.kind = MessageKind::response;
  if (const auto error = root.find("error"); error != root.end()) {
    message.error = read_error(*error);
  } else if (const auto result = root.find("result"); result != root.end()) {
    message.result = Document(std::move(*result));
  } else {
    return invalid(std::move(id), kInvalidRequest,
                   "a message needs \"method\", \"result\" or \"error\"");
  }
  message.id = std::move(id);
  return message;
}

std::string make_request(const RequestId& id, std::string_view method, std::string_view params) {
  std::string line(kHead);
  line += "\"id\":" + id_text(id) + ",\"method\":" + json_string(method) + ",\"params\":";
  line += params;
  line += "}\n";
  return line;
}

std::string make_notification(std::string_view method, std::string_view params) {
  std::string line(kHead);
  line += "\"method\":" + json_string(method) + ",\"params\":";
  line += params;
  line += "}\n";
  return line;
}

std::string make_result(const RequestId& id, std::string_view result) {
  std::string line;
  line.reserve(kHead.size() + result.size() + 40);
  line += kHead;
  line += "\"id\":" + id_text(id) + ",\"result\":";
  line += result;
  line += "}\n";
  return line;
}

std::string make_error(const RequestId& id, const WireError& error) {
  std::string line(kHead);
  line += "\"id\":" + id_text(id) + ",\"error\":{\"code\":" + std::to_string(error.code) +
          ",\"message\":" + json_string(error.message);
  if (!error.data.empty()) line += ",\"data\":" + error.data;
  line += "}}\n";
  return line;
}

std::string id_text(const RequestId& id) {
  if (const auto* number = std::get_if<std::int64_t>(&id)) return std::to_string(*number);
  if (const auto* text = std::get_if<std::string>(&id)) return json_string(*text);
  return "null";
}

Result<RequestId> id_of(const Document& params) {
  RequestId id;
  const auto& object = params.json();
  const auto found = object.is_object() ? object.find("id") : object.end();
  if (!object.is_object() || found == object.end() || found->is_null() || !read_id(*found, id)) {
    return fail(Errc::invalid_argument, "\"id\" must be the id of a request: integer or string");
  }
  return id;
}

}  // namespace warpmind::daemon::protocol
