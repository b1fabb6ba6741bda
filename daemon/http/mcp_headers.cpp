#include "daemon/http/mcp_headers.h"

#include "base/text.h"
#include "daemon/mcp/era.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace warpmind::daemon::http {
namespace {

using nlohmann::json;
using protocol::WireError;

constexpr auto kVersionKey = "io.modelcontextprotocol/protocolVersion";

std::string text_member(const json& object, const char* name) {
  if (!object.is_object()) return {};
  const auto found = object.find(name);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::optional<std::string> decoded_base64(std::string_view text) {
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  if (text.size() % 4 != 0) return std::nullopt;
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;
  std::string bytes;
  unsigned bits = 0;
  unsigned count = 0;
  for (const char c : text.substr(0, text.size() - padding)) {
    const auto value = kLetters.find(c);
    if (value == std::string_view::npos) return std::nullopt;
    bits = (bits << 6U) | static_cast<unsigned>(value);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> count) & 255U);
  }
  return bytes;
}

/// The member of the parameters that Mcp-Name repeats; null when the method has none.
const char* name_member(std::string_view method) {
  if (method == "tools/call" || method == "prompts/get") return "name";
  if (method == "resources/read") return "uri";
  if (method == "tasks/get" || method == "tasks/update" || method == "tasks/cancel")
    return "taskId";
  return nullptr;
}

/// nullopt when the header is there, once, and says `expected`.
std::optional<WireError> compare(const HttpRequest& request, std::string_view name,
                                 const std::string& expected) {
  const std::string* value = request.find(name);
  const std::string shown(name);
  if (value == nullptr || request.count(name) != 1) {
    return WireError{kHeaderMismatch, "Header mismatch: " + shown + " must be sent once", ""};
  }
  if (header_text(*value) == expected) return std::nullopt;
  return WireError{kHeaderMismatch, "Header mismatch: " + shown + " is not what the message says",
                   ""};
}

}  // namespace

Accepted accepted_by(const HttpRequest& request) {
  if (request.find("accept") == nullptr) return {true, true};
  Accepted accepted;
  for (const auto& header : request.headers) {
    if (header.name != "accept") continue;
    std::string_view rest = header.value;
    while (!rest.empty()) {
      const std::string_view item = rest.substr(0, rest.find(','));
      rest.remove_prefix(std::min(rest.size(), item.size() + 1));
      const std::string_view media = trim_text(item.substr(0, item.find(';')), " \t");
      const bool any = media == "*/*";
      accepted.json |= any || media == "application/json" || media == "application/*";
      accepted.events |= any || media == "text/event-stream" || media == "text/*";
    }
  }
  return accepted;
}

std::optional<std::string> header_text(std::string_view value) {
  constexpr std::string_view kOpen = "=?base64?";
  constexpr std::string_view kClose = "?=";
  value = trim_text(value, " \t");
  const bool wrapped = value.size() >= kOpen.size() + kClose.size() && value.starts_with(kOpen) &&
                       value.ends_with(kClose);
  if (!wrapped) return std::string(value);
  value.remove_prefix(kOpen.size());
  value.remove_suffix(kClose.size());
  return decoded_base64(value);
}

std::optional<WireError> header_mismatch(const HttpRequest& request,
                                         const protocol::Message& message) {
  const json& params = message.params.json();
  if (mcp::has_modern_meta(message.params)) {
    const std::string version = text_member(params["_meta"], kVersionKey);
    if (auto wrong = compare(request, kVersionHeader, version)) return wrong;
  }
  if (auto wrong = compare(request, "mcp-method", message.method)) return wrong;
  const char* const member = name_member(message.method);
  const std::string name = member == nullptr ? "" : text_member(params, member);
  if (name.empty()) return std::nullopt;
  return compare(request, "mcp-name", name);
}

int status_of_error(std::int64_t code) {
  switch (code) {
    case protocol::kMethodNotFound: return 404;
    case protocol::kParseError:
    case protocol::kInvalidRequest:
    case kHeaderMismatch:
    case mcp::kMissingCapability:
    case mcp::kUnsupportedVersion: return 400;
    default: return 200;
  }
}

}  // namespace warpmind::daemon::http
